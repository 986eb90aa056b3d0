import { expect, test } from 'vitest'

import { FrameQueue } from '../../../src/session/cancel-queue.ts'

test('what comes while something waits is done after it, in order', async () => {
  const queue = new FrameQueue()
  const done: string[] = []
  const { promise: gate, resolve } = Promise.withResolvers<void>()
  void queue.now(() => void done.push('first'))
  expect(done).toEqual(['first'])
  queue.later(async () => {
    await gate
    done.push('held')
  })
  void queue.now(() => void done.push('behind'))
  await Promise.resolve()
  expect(done).toEqual(['first'])
  resolve()
  await expect.poll(() => done).toEqual(['first', 'held', 'behind'])
  void queue.now(() => void done.push('free'))
  expect(done.at(-1)).toBe('free')
})

test('a frame that fails does not stop the next', async () => {
  const queue = new FrameQueue()
  const done: string[] = []
  queue.later(() => Promise.reject(new Error('broken')))
  void queue.now(() => void done.push('next'))
  await expect.poll(() => done).toEqual(['next'])
})
