import { expect, test } from 'vitest'

import { statePaths } from '../../src/state.ts'

test('without XDG variables everything is at its place below the home folder', () => {
  expect(statePaths({ HOME: '/home/u' })).toEqual({
    adminPolicy: '/etc/glovebox/policy.json',
    userConfig: '/home/u/.config/glovebox/config.json',
    state: '/home/u/.local/state/glovebox',
    lock: '/home/u/.local/state/glovebox/lock.json',
    audit: '/home/u/.local/state/glovebox/audit',
    log: '/home/u/.local/state/glovebox/log',
    sessions: '/home/u/.local/state/glovebox/sessions',
    volumes: '/home/u/.local/state/glovebox/volumes',
    stops: '/home/u/.local/state/glovebox/stops',
    cache: '/home/u/.cache/glovebox',
    emptyFile: '/home/u/.local/state/glovebox/masked',
    quarantine: '/home/u/.local/state/glovebox/quarantine',
  })
})

test('XDG variables win, except over the place of the administrator', () => {
  const env = { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/k' }
  const paths = statePaths(env)
  expect([paths.userConfig, paths.state, paths.cache]).toEqual([
    '/c/glovebox/config.json',
    '/s/glovebox',
    '/k/glovebox',
  ])
  expect(paths.adminPolicy).toBe('/etc/glovebox/policy.json')
})

test.for(['', 'relative', './x'])(
  'the XDG value %j is no absolute path and is ignored',
  (value) => {
    expect(statePaths({ HOME: '/h', XDG_STATE_HOME: value }).state).toBe('/h/.local/state/glovebox')
  },
)

test('without HOME the home folder of the user database counts', () => {
  expect(statePaths({}, '/from/passwd').state).toBe('/from/passwd/.local/state/glovebox')
})
