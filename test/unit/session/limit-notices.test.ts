import { expect, test } from 'vitest'

import { DEFAULTS } from '../../../src/policy/defaults.ts'
import { LimitNotices } from '../../../src/session/limit-notices.ts'

test.for([
  ['memory', /memory limit of 4096 MiB was reached.*"memory_mb"/],
  ['pids', /limit of 1024 processes.*"pids"/],
  ['tmp', /\/tmp is full: its limit is 1024 MiB.*"tmp_mb"/],
  ['home', /home folder is full: its limit is 1024 MiB.*"home_mb"/],
] as const)('a hit %s limit is told once, with the key that raises it', ([limit, sentence]) => {
  const notices = new LimitNotices(DEFAULTS.limits)
  notices.fromInit({ type: 'limit', limit })
  notices.fromInit({ type: 'limit', limit })
  expect(notices.take()).toEqual([expect.stringMatching(sentence)])
  expect(notices.take()).toEqual([])
  expect(notices.memory).toBe(limit === 'memory')
})

test.for([{ type: 'limit', limit: 'constructor' }, { type: 'limit' }, { type: 'hello' }])(
  'init cannot say anything else: %j',
  (message) => {
    const notices = new LimitNotices(DEFAULTS.limits)
    expect(notices.fromInit(message)).toBeUndefined()
    expect(notices.take()).toEqual([])
  },
)
