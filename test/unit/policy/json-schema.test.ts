import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { policyJsonSchema } from '../../../src/policy/json-schema.ts'

const FILE = new URL('../../../schema/policy.schema.json', import.meta.url)

test('schema/policy.schema.json is what the code says (node src/policy/write-schema.ts)', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(policyJsonSchema())
})
