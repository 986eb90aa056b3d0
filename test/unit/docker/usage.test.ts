import { expect, test } from 'vitest'

import { usageIn } from '../../../src/docker/usage.ts'

const cpu = (total: number) => ({ cpu_usage: { total_usage: total } })
const answer = (memory: object) => ({
  read: '2026-01-01T00:00:02.000000000Z',
  preread: '2026-01-01T00:00:01.000000000Z',
  cpu_stats: cpu(5.5e9),
  precpu_stats: cpu(4e9),
  memory_stats: memory,
  pids_stats: { current: 7 },
})

test('what can be given back is no use of memory, under either name the kernel has for it', () => {
  const base = { usage: 900, limit: 4096 }
  const expected = { memory: 600, memoryLimit: 4096, cpuPercent: 150, pids: 7 }
  expect(usageIn(answer({ ...base, stats: { total_inactive_file: 300 } }))).toEqual(expected)
  expect(usageIn(answer({ ...base, stats: { inactive_file: 300 } }))).toEqual(expected)
})

test('a limit beyond every machine is none', () => {
  expect(usageIn(answer({ usage: 1, limit: 9_223_372_036_854_771_712 }))).toEqual({
    memory: 1,
    cpuPercent: 150,
    pids: 7,
  })
})

test('a first measurement tells no share of a CPU, and an answer of another shape nothing', () => {
  const first = { ...answer({ usage: 1 }), preread: '0001-01-01T00:00:00Z', precpu_stats: null }
  expect(usageIn(first)?.cpuPercent).toBe(0)
  expect(usageIn({ message: 'no such container' })).toBeUndefined()
})
