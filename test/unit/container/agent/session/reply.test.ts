import { expect, test } from 'vitest'

import { ModelError } from '../../../../../container/agent/model/model.ts'
import { waitOf } from '../../../../../container/agent/session/reply.ts'

test.for([
  [0, undefined, 500],
  [3, undefined, 4_000],
  [0, 0, 0],
  [0, 60_000, 60_000],
  [0, 60_001, undefined],
] as const)('after %i tries and Retry-After %j the wait is %j ms', ([tries, retryAfter, wait]) => {
  expect(waitOf(new ModelError('busy', 'x', { retryAfter }), tries)).toBe(wait)
})

test('a refused request is not sent again', () => {
  expect(waitOf(new ModelError('refused', 'x'), 0)).toBeUndefined()
})
