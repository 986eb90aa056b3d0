import { expect, it, test } from 'vitest'

import { counterOf, hitSince, type Readings } from '../../../../container/init/limits.ts'

const CALM: Readings = { memory: 0, pids: 3, tmp: 0.5, home: 0.9 }
const UNKNOWN = { memory: undefined, pids: undefined, tmp: undefined, home: undefined }

test.for([
  ['nothing moved', CALM, CALM, []],
  ['a kill at the memory limit', CALM, { ...CALM, memory: 1 }, ['memory']],
  ['forks that failed', CALM, { ...CALM, pids: 90 }, ['pids']],
  ['a full folder', CALM, { ...CALM, tmp: 0 }, ['tmp']],
  ['a folder that stays full', { ...CALM, tmp: 0 }, { ...CALM, tmp: 0.001 }, []],
  ['a folder that has room again', { ...CALM, home: 0 }, CALM, []],
  ['all at once', CALM, { memory: 2, pids: 4, tmp: 0, home: 0 }, ['memory', 'pids', 'tmp', 'home']],
  ['a kernel that says nothing', UNKNOWN, UNKNOWN, []],
] as const)('%s', ([, before, now, hit]) => {
  expect(hitSince(before, now)).toEqual(hit)
})

it('reads the counters of both cgroup versions', () => {
  expect(counterOf('oom_kill_disable 0\nunder_oom 0\noom_kill 7\n', 'oom_kill')).toBe(7)
  expect(counterOf('low 0\noom 3\noom_kill 2\n', 'oom_kill')).toBe(2)
  expect(counterOf('max 12\n', 'max')).toBe(12)
  expect(counterOf('', 'max')).toBeUndefined()
})
