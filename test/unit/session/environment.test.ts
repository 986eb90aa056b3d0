import { describe, expect, it } from 'vitest'

import { agentEnvironment } from '../../../src/session/environment.ts'

describe('agentEnvironment', () => {
  it('passes the language, terminal and time zone of the host on, and nothing else of it', () => {
    const environment = agentEnvironment(
      {
        LANG: 'de_DE.UTF-8',
        LC_TIME: 'en_GB.UTF-8',
        TERM: 'xterm-256color',
        TZ: 'Europe/Berlin',
        ANTHROPIC_API_KEY: 'sk-secret',
        SSH_AUTH_SOCK: '/run/agent',
        NODE_OPTIONS: '--inspect',
        LD_PRELOAD: '/x.so',
        HTTP_PROXY: 'http://user:pass@corp:3128',
        PATH: '/host/bin',
        HOME: '/home/me',
      },
      { GLOVEBOX_MODEL: 'm' },
    )
    expect(environment).toEqual({
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'de_DE.UTF-8',
      LC_TIME: 'en_GB.UTF-8',
      TERM: 'xterm-256color',
      TZ: 'Europe/Berlin',
      HTTP_PROXY: 'http://127.0.0.1:3128',
      http_proxy: 'http://127.0.0.1:3128',
      HTTPS_PROXY: 'http://127.0.0.1:3128',
      https_proxy: 'http://127.0.0.1:3128',
      NO_PROXY: 'localhost,127.0.0.1,::1',
      no_proxy: 'localhost,127.0.0.1,::1',
      NODE_USE_ENV_PROXY: '1',
      npm_config_proxy: 'http://127.0.0.1:3128',
      npm_config_https_proxy: 'http://127.0.0.1:3128',
      GIT_TERMINAL_PROMPT: '0',
      GLOVEBOX_MODEL: 'm',
      HOME: '/home/agent',
    })
  })

  it('drops a value that could carry something else inside', () => {
    const { LANG, TERM, LC_ALL } = agentEnvironment(
      { LANG: 'C\nEVIL=1', TERM: 'x'.repeat(200), LC_ALL: '$(id)' },
      {},
    )
    expect({ LANG, TERM, LC_ALL }).toEqual({ LANG: 'C.UTF-8', TERM: undefined, LC_ALL: undefined })
  })

  it('lets no profile move the home', () => {
    expect(agentEnvironment({}, { HOME: '/elsewhere' })['HOME']).toBe('/home/agent')
  })
})
