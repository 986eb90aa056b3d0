import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { MAX_TOLD, WINDOW, tellRefusedNames } from '../../../../container/init/refused-names.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function teller() {
  const told: object[] = []
  return { told, refused: tellRefusedNames((message) => told.push(message)) }
}

test('a name is told once in a window, in whatever case it is asked', () => {
  const { told, refused } = teller()
  refused('Evil.test')
  refused('evil.TEST')
  refused('other.test')
  expect(told).toEqual([
    { type: 'name-refused', name: 'Evil.test' },
    { type: 'name-refused', name: 'other.test' },
  ])
  vi.advanceTimersByTime(WINDOW)
  refused('evil.test')
  expect(told).toHaveLength(3)
})

test('past the bound names are counted, and the number is told when the window ends', () => {
  const { told, refused } = teller()
  for (let at = 0; at < MAX_TOLD + 1_000; at += 1) refused(`h${at}.test`)
  expect(told).toHaveLength(MAX_TOLD)
  vi.advanceTimersByTime(WINDOW)
  expect(told.slice(MAX_TOLD)).toEqual([{ type: 'names-refused', count: 1_000 }])
  vi.advanceTimersByTime(10 * WINDOW)
  expect(told).toHaveLength(MAX_TOLD + 1)
})

test('a long name is cut', () => {
  const { told, refused } = teller()
  refused('\\000'.repeat(250))
  expect(told).toEqual([{ type: 'name-refused', name: `${'\\000'.repeat(250).slice(0, 253)}…` }])
})
