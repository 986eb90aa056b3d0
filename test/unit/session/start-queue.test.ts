import { describe, expect, it } from 'vitest'

import { StartQueue } from '../../../src/session/start-queue.ts'

describe('StartQueue', () => {
  it('lets three starts run and the others wait, first come, first served', async () => {
    const queue = new StartQueue()
    const finish: (() => void)[] = []
    const began: number[] = []
    const starts = Array.from({ length: 6 }, (_, n) =>
      queue.run(() => {
        began.push(n)
        return new Promise<void>((resolve) => finish.push(resolve))
      }),
    )
    await Promise.resolve()
    expect(began).toEqual([0, 1, 2])
    finish[1]?.()
    await starts[1]
    await Promise.resolve()
    expect(began).toEqual([0, 1, 2, 3])
    for (let n = 0; n < 6; n += 1) {
      finish[n]?.()
      await starts[n]
    }
    expect(began).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('tells a start its place, and how long it waited', async () => {
    const queue = new StartQueue()
    const finish: (() => void)[] = []
    const told: string[] = []
    const starts = Array.from({ length: 5 }, (_, n) =>
      queue.run(() => new Promise<void>((resolve) => finish.push(resolve)), {
        waits: (place) => told.push(`${n} waits at ${place}`),
        begins: (waited) => told.push(`${n} begins ${waited >= 0}`),
      }),
    )
    for (let n = 0; n < 5; n += 1) {
      finish[n]?.()
      await starts[n]
    }
    expect(told).toEqual(['3 waits at 1', '4 waits at 2', '3 begins true', '4 begins true'])
  })

  it('gives the place of a start that failed to the next', async () => {
    const queue = new StartQueue()
    const failing = Array.from({ length: 5 }, () =>
      queue.run(() => Promise.reject(new Error('no'))),
    )
    expect((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected')).toBe(
      true,
    )
    expect(await queue.run(() => Promise.resolve('runs'))).toBe('runs')
  })
})
