import { expect, test } from 'vitest'

import { costOf } from '../../../../../container/agent/model/prices.ts'

const MILLION = 1_000_000
const usage = { input: MILLION, cacheRead: MILLION, cacheWrite: MILLION, output: MILLION }

test.for([
  ['claude-sonnet-4-5', 3 + 0.3 + 3.75 + 15],
  ['claude-opus-4-5-20251101', 5 + 0.5 + 6.25 + 25],
  ['claude-opus-4-1', 15 + 1.5 + 18.75 + 75],
  ['openai/gpt-5-mini', 0.25 + 0.025 + 0.25 + 2],
  ['llama-4', undefined],
] as const)('a million tokens of each kind from %s cost %j dollars', ([model, cost]) => {
  expect(costOf(model, usage)).toBe(cost)
})
