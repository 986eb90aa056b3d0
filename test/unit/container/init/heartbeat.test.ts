import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { HEARTBEAT_TIMEOUT, watchHeartbeat } from '../../../../container/init/heartbeat.ts'

/** Milliseconds in which the fake clock runs what waits for one round of input. */
const ROUND = 1

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('silence for the whole timeout counts as lost, a moment less does not', async () => {
  const lost = vi.fn<() => void>()
  watchHeartbeat(lost)
  await vi.advanceTimersByTimeAsync(HEARTBEAT_TIMEOUT - 1)
  expect(lost).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1 + ROUND)
  expect(lost).toHaveBeenCalledOnce()
})

test('each beat starts the timeout anew', async () => {
  const lost = vi.fn<() => void>()
  const beat = watchHeartbeat(lost)
  for (let i = 0; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(HEARTBEAT_TIMEOUT - 1)
    beat()
  }
  expect(lost).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(HEARTBEAT_TIMEOUT + ROUND)
  expect(lost).toHaveBeenCalledOnce()
})
