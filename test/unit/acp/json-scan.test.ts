import { describe, expect, it, test } from 'vitest'

import { members, splice } from '../../../src/acp/json-scan.ts'

const valuesOf = (text: string): [string, string][] => {
  const bytes = Buffer.from(text)
  return members(bytes).map(({ key, start, end }) => [key, bytes.subarray(start, end).toString()])
}

describe('members', () => {
  test.for<[string, [string, string][]]>([
    ['{}', []],
    ['[1]', []],
    ['"x"', []],
    ['{"a":1}', [['a', '1']]],
    [
      ' { "a" : 1.50 , "b":"x" } ',
      [
        ['a', '1.50'],
        ['b', '"x"'],
      ],
    ],
    [
      '{"a":"}{\\"","b":[1,{"a":2},"]"],"c":null}',
      [
        ['a', '"}{\\""'],
        ['b', '[1,{"a":2},"]"]'],
        ['c', 'null'],
      ],
    ],
    [
      '{"a":9007199254740993,"a":2}',
      [
        ['a', '9007199254740993'],
        ['a', '2'],
      ],
    ],
    ['{"\\u0069d":7}', [['id', '7']]],
    ['{"a\\\\":"\\\\"}', [['a\\', '"\\\\"']]],
    [
      '{"ü":"😀","b":true}',
      [
        ['ü', '"😀"'],
        ['b', 'true'],
      ],
    ],
  ])('finds the members of %s', ([text, expected]) => {
    expect(valuesOf(text)).toEqual(expected)
  })

  it('agrees with JSON.parse on random objects', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const value = randomObject(random(seed), 4)
      const text = JSON.stringify(value, null, seed % 3 === 0 ? 2 : 0)
      const found = Object.fromEntries(valuesOf(text).map(([key, raw]) => [key, JSON.parse(raw)]))
      expect(found).toEqual(value)
    }
  })

  it('ends on text that was cut off', () => {
    const text = '{"a":{"b":["x\\"y",{"c":"d'
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(members(Buffer.from(text.slice(0, cut))).length).toBeLessThanOrEqual(1)
    }
  })
})

describe('splice', () => {
  it('replaces the ranges and keeps every other byte', () => {
    const bytes = Buffer.from('{"id":1.0 ,"x":9007199254740993}')
    const [id] = members(bytes)
    const edit = { start: id?.start ?? 0, end: id?.end ?? 0, value: '"gb-1"' }
    expect(splice(bytes, [edit]).toString()).toBe('{"id":"gb-1" ,"x":9007199254740993}')
  })
})

function random(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

function randomObject(next: () => number, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  const count = Math.floor(next() * 5)
  for (let n = 0; n < count; n += 1) object[randomText(next) + n] = randomValue(next, depth)
  return object
}

function randomValue(next: () => number, depth: number): unknown {
  const kind = Math.floor(next() * (depth > 0 ? 7 : 5))
  if (kind === 0) return randomText(next)
  if (kind === 1) return Math.round(next() * 1e6) / 100
  if (kind === 2) return next() > 0.5
  if (kind === 3) return null
  if (kind === 4) return -Math.floor(next() * 1e9)
  if (kind === 5) return [randomValue(next, depth - 1), randomText(next)]
  return randomObject(next, depth - 1)
}

function randomText(next: () => number): string {
  const letters = ['"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é', '😀', '\n', '\u0001', ' ']
  return Array.from(
    { length: Math.floor(next() * 8) },
    () => letters[Math.floor(next() * letters.length)],
  ).join('')
}
