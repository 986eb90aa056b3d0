import { describe, expect, test } from 'vitest'

import { initializeAnswer } from '../../../src/acp/initialize.ts'
import { loadProfile } from '../../../src/agents/profile.ts'

const methods = (hasKey: boolean, clientCapabilities: unknown): unknown =>
  initializeAnswer(loadProfile('bundled'), hasKey, { clientCapabilities })['authMethods']

describe('authMethods', () => {
  test.for<[string, boolean, unknown, number]>([
    ['a terminal and no key', false, { auth: { terminal: true } }, 1],
    ['the older form of a terminal and no key', false, { _meta: { 'terminal-auth': true } }, 1],
    ['a terminal and a key', true, { auth: { terminal: true } }, 0],
    ['no terminal and no key', false, { terminal: true }, 0],
    ['no capabilities at all', false, undefined, 0],
    ['capabilities of a wrong shape', false, { auth: 'yes', _meta: 7 }, 0],
  ])('[auth.terminal] with %s', ([, hasKey, capabilities, count]) => {
    expect(methods(hasKey, capabilities)).toHaveLength(count)
  })

  test('[auth.terminal] [auth.program] name the launcher’s own set-up, to be added to its command or run as it is', () => {
    expect(methods(false, { auth: { terminal: true } })).toMatchObject([
      {
        type: 'terminal',
        id: 'glovebox-setup',
        args: ['setup'],
        _meta: { 'terminal-auth': { command: process.execPath, args: [process.argv[1], 'setup'] } },
      },
    ])
  })
})
