/** Brings schema/policy.schema.json up to date: `node src/policy/write-schema.ts`. */
import { writeFileSync } from 'node:fs'

import { policyJsonSchema } from './json-schema.ts'

writeFileSync(new URL('../../schema/policy.schema.json', import.meta.url), policyJsonSchema())
