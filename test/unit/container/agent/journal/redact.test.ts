import { expect, test } from 'vitest'

import { redact, redactAll } from '../../../../../container/agent/journal/redact.ts'

test.for([
  `sk-ant-api03-${'a'.repeat(40)}`,
  `sk-proj-${'b'.repeat(40)}`,
  `ghp_${'c1'.repeat(18)}`,
  'AKIAIOSFODNN7EXAMPLE',
  `xoxb-${'1'.repeat(12)}`,
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
])('[journal.first] %s is taken out', (secret) => {
  expect(redact(`before ${secret} after`, [])).toBe('before *** after')
})

test.for([
  'sk-short',
  'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0',
  'ghp_',
  'the task-list-of-things',
])('%s stays', (text) => {
  expect(redact(text, [])).toBe(text)
})

test('a header keeps its name and loses its value', () => {
  expect(redact('Authorization: Bearer abcdefgh1234', [])).toBe('Authorization: Bearer ***')
})

test('known secrets are taken out wherever they stand, short ones are not known', () => {
  const value = { a: ['x my-own-key y', 1, null], b: { c: 'no' } }
  expect(redactAll(value, ['my-own-key', 'no'])).toEqual({
    a: ['x *** y', 1, null],
    b: { c: 'no' },
  })
})
