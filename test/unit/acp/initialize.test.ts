import { describe, expect, test } from 'vitest'

import { initializeAnswer, offersMethod } from '../../../src/acp/initialize.ts'
import { loadProfile } from '../../../src/agents/profile.ts'

const methods = (hasKey: boolean, clientCapabilities: unknown): unknown =>
  initializeAnswer(loadProfile('bundled'), { hasKey, keepsSessions: true }, { clientCapabilities })[
    'authMethods'
  ]

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

describe('what depends on kept sessions', () => {
  const answer = (keepsSessions: boolean) =>
    initializeAnswer(loadProfile('bundled'), { hasKey: true, keepsSessions })

  test.for<[string, boolean, boolean]>([
    ['session/new', true, true],
    ['session/load', true, false],
    ['session/resume', true, false],
    ['session/list', true, false],
    ['session/delete', true, false],
    ['session/fork', false, false],
  ])('%s is offered with them: %s, without: %s', ([method, withThem, without]) => {
    expect(offersMethod(answer(true), method)).toBe(withThem)
    expect(offersMethod(answer(false), method)).toBe(without)
  })

  test('session/close does not', () => {
    expect(answer(false)['agentCapabilities']).toMatchObject({
      loadSession: false,
      sessionCapabilities: { close: {} },
    })
  })
})
