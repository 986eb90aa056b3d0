import { expect, test } from 'vitest'

import { RestartBudget } from '../../../src/session/restart-budget.ts'

test('Ten restarts in a minute are allowed, the eleventh not before one is a minute old', () => {
  let now = 0
  const budget = new RestartBudget(() => now)
  for (let round = 0; round < 10; round += 1) {
    expect(budget.take()).toBe(true)
    now += 1_000
  }
  expect(budget.take()).toBe(false)
  now = 59_999
  expect(budget.take()).toBe(false)
  now = 60_000
  expect(budget.take()).toBe(true)
  expect(budget.take()).toBe(false)
})
