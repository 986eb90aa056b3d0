import { expect, test } from 'vitest'

import { messageIn, retryAfterOf } from '../../../../../container/agent/model/post.ts'

const NOW = Date.UTC(2026, 0, 1)

test.for([
  [null, undefined],
  ['0', 0],
  ['2', 2_000],
  ['1.5', 1_500],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', undefined],
] as const)('Retry-After %j means %j milliseconds', ([header, expected]) => {
  expect(retryAfterOf(header, NOW)).toBe(expected)
})

test.for([
  [{ error: { message: 'a' } }, 'a'],
  [{ error: 'b' }, 'b'],
  [{ message: 'c' }, 'c'],
  [{ detail: 'd' }, undefined],
  [null, undefined],
] as const)('the message in %j is %j', ([body, expected]) => {
  expect(messageIn(body)).toBe(expected)
})
