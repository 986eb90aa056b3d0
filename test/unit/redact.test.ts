import { expect, test } from 'vitest'

import { MAX_TEXT, redact, redactText, rememberSecret } from '../../src/redact.ts'
import { Secret } from '../../src/secret.ts'

test('a secret is struck out by type, whether remembered or not', () => {
  expect(redact({ key: new Secret('never-remembered') })).toEqual({ key: '***' })
})

test('a remembered secret is struck out of texts, keys, errors and nested values', () => {
  const secret = rememberSecret(new Secret('sk-remembered-1234'))
  const value = secret.reveal()
  const seen = redact({ a: [`x${value}y`], [value]: 1, error: new Error(`no ${value}`) })
  expect(seen).toEqual({ a: ['x***y'], '***': 1, error: { name: 'Error', message: 'no ***' } })
})

test('a secret is struck out before a text is cut, so no part of it stays', () => {
  const secret = rememberSecret(new Secret('sk-on-the-edge-5678'))
  const text = redactText('x'.repeat(MAX_TEXT - 5) + secret.reveal())
  expect(text).not.toContain('sk-')
})

test('a very short secret does not garble every text', () => {
  rememberSecret(new Secret('e'))
  expect(redactText('hello')).toBe('hello')
})

test('what is no JSON becomes something that is', () => {
  const circular: Record<string, unknown> = { n: 1n, nan: Number.NaN, when: new Date(0) }
  circular['self'] = circular
  const odd = {
    get trap(): unknown {
      throw new Error('no')
    },
    bytes: Buffer.from('secret'),
    call: () => 1,
    never: undefined,
    bad: new Date(Number.NaN),
  }
  const seen = redact({ circular, odd })
  expect(() => JSON.stringify(seen)).not.toThrow()
  expect(seen).toMatchObject({
    circular: { n: '1', nan: 'NaN', when: '1970-01-01T00:00:00.000Z' },
    odd: { trap: '…', bytes: '(6 bytes)', bad: 'invalid' },
  })
  expect(redact(undefined)).toBeNull()
})

test('lists and objects are cut at a hundred entries', () => {
  const many = Array.from({ length: 500 }, (_, index) => index)
  expect(redact(many)).toHaveLength(100)
  expect(Object.keys(Object(redact(Object.fromEntries(many.entries()))))).toHaveLength(100)
})
