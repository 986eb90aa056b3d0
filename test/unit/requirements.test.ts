import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { REQUIREMENTS } from '../requirements.ts'
import type { Requirement } from '../requirements.ts'

const FOLDERS = ['unit/container/agent', 'integration/agent', 'unit/acp', 'integration/launcher']

/** Ids in the titles of the agent's tests, and of the launcher's where it keeps a requirement. */
const cited = new Set(
  FOLDERS.flatMap((folder) => idsIn(path.join(import.meta.dirname, '..', folder))),
)
const all: Record<string, Requirement> = REQUIREMENTS

test('every requirement that is not open is cited by a test', () => {
  const delivered = Object.keys(all).filter((id) => all[id]?.open === undefined)
  expect(delivered.filter((id) => !cited.has(id))).toEqual([])
})

test('every requirement that a test cites is known, and not said to be open', () => {
  expect([...cited].filter((id) => all[id] === undefined || all[id].open !== undefined)).toEqual([])
})

function idsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const source = readFileSync(path.join(folder, file), 'utf8')
      const titles = source.match(/['`](\[[a-z_]+\.[a-z_.]+\] )+/g) ?? []
      return titles.flatMap((title) =>
        [...title.matchAll(/\[([a-z_.]+)\]/g)].map(([, id = '']) => id),
      )
    })
}
