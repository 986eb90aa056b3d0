import { EventEmitter } from 'node:events'

import { expect, test } from 'vitest'

import { watchInterrupts } from '../../../src/client/interrupt.ts'

test('The first interrupt aborts and the second calls, in that order', () => {
  const source = new EventEmitter()
  using watch = watchInterrupts(source)
  let second = 0
  watch.onSecond = () => (second += 1)
  source.emit('SIGINT')
  expect([watch.signal.aborted, second]).toEqual([true, 0])
  source.emit('SIGINT')
  expect(second).toBe(1)
})

test('SIGTERM is both at once', () => {
  const source = new EventEmitter()
  using watch = watchInterrupts(source)
  let second = 0
  watch.onSecond = () => (second += 1)
  source.emit('SIGTERM')
  expect([watch.signal.aborted, second]).toEqual([true, 1])
})

test('After disposal nothing listens', () => {
  const source = new EventEmitter()
  watchInterrupts(source)[Symbol.dispose]()
  expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0)
})
