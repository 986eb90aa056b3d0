import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { ALL_TOOLS } from '../../../../../container/agent/tools/all-tools.ts'

const FOLDER = path.join(import.meta.dirname, '../../../../../container/agent/acp')

test.for(readdirSync(FOLDER))('[update.presenters] acp/%s knows no tool by its name', (file) => {
  const source = readFileSync(path.join(FOLDER, file), 'utf8')
  expect(ALL_TOOLS.filter(({ name }) => source.includes(name))).toEqual([])
})
