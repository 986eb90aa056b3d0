import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { GUARANTEES, type Guarantee } from '../guarantees.ts'

const e2e = join(import.meta.dirname, '..', 'e2e')

const cited = new Set(
  readdirSync(e2e, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(e2e, file), 'utf8').matchAll(/\[(G-[A-Z]+)\]/g)])
    .map((match) => match[1]),
)

const ids = Object.keys(GUARANTEES)
const delivered = Object.entries(GUARANTEES as Record<string, Guarantee>)
  .filter(([, { open }]) => open === undefined)
  .map(([id]) => id)

describe('the guarantees', () => {
  it('that are delivered are each cited by a test on a real engine', () => {
    expect(delivered.filter((id) => !cited.has(id))).toEqual([])
  })

  it('that tests cite are known', () => {
    expect([...cited].filter((id) => id !== undefined && !ids.includes(id))).toEqual([])
  })

  it('are each in docs/security.md', () => {
    const text = readFileSync(join(e2e, '..', '..', 'docs', 'security.md'), 'utf8')
    expect(ids.filter((id) => !text.includes(id))).toEqual([])
  })
})
