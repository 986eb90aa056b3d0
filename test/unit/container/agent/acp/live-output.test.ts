import { expect, test, vi } from 'vitest'

import { liveOutput } from '../../../../../container/agent/acp/live-output.ts'

test('output is bundled, bounded, and complete only when all was shown', () => {
  vi.useFakeTimers()
  const sent: { fresh: string; soFar: string }[] = []
  const live = liveOutput((output) => sent.push(output))
  for (const text of ['a', 'b', 'c']) live.add(text)
  expect(sent).toEqual([])
  vi.advanceTimersByTime(100)
  expect(sent).toEqual([{ fresh: 'abc', soFar: 'abc' }])
  for (let times = 0; times < 100; times++) live.add('x'.repeat(1_000))
  expect(live.finish()).toEqual({ complete: false })
  const shown = sent.map((output) => output.fresh).join('')
  expect(shown).toHaveLength(64_000)
  expect(sent.at(-1)?.soFar.length).toBeLessThan(9_000)
  vi.useRealTimers()
})

test('what was shown whole is complete', () => {
  const live = liveOutput(() => undefined)
  live.add('a')
  expect(live.finish()).toEqual({ complete: true })
})
