import { describe, expect, it } from 'vitest'

import { LateLauncher } from '../../src/late-launcher.ts'
import type { Launcher } from '../../src/launcher.ts'

type Fake = { audit: { usable: boolean }; disposed: number } & AsyncDisposable

function launchers(failures = 0) {
  const made: Fake[] = []
  let left = failures
  const late = new LateLauncher(() => {
    left -= 1
    if (left >= 0) return Promise.reject(new Error('no room'))
    const fake: Fake = {
      audit: { usable: true },
      disposed: 0,
      [Symbol.asyncDispose]() {
        fake.disposed += 1
        return Promise.resolve()
      },
    }
    made.push(fake)
    return Promise.resolve(fake as unknown as Launcher)
  })
  return { late, made }
}

describe('LateLauncher', () => {
  it('makes one for all who ask', async () => {
    const { late, made } = launchers()
    const [one, other] = await Promise.all([late.get(), late.get()])
    expect(one).toBe(other)
    await late[Symbol.asyncDispose]()
    expect(made.map(({ disposed }) => disposed)).toEqual([1])
  })

  it('tells each who asks why there is none, and tries again at the next', async () => {
    const { late, made } = launchers(1)
    const both = await Promise.allSettled([late.get(), late.get()])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await late.get()
    expect(made).toHaveLength(1)
  })

  it('replaces one whose audit log is broken, and ends it once', async () => {
    const { late, made } = launchers()
    await late.get()
    for (const fake of made) fake.audit.usable = false
    const [one, other] = await Promise.all([late.get(), late.get()])
    expect(one).toBe(other)
    expect(made.map(({ disposed }) => disposed)).toEqual([1, 0])
  })

  it('ends without one when none could be made', async () => {
    const { late } = launchers(1)
    await late.get().catch(() => undefined)
    await late[Symbol.asyncDispose]()
    expect(await late.get()).toBeDefined()
  })
})
