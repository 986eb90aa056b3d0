import { expect, test } from 'vitest'

import { fetchSettings, mirrorLines, proxyArguments } from '../../../src/images/machine-settings.ts'

const CONFIG = [
  'Acquire "";',
  'Acquire::http "";',
  'Acquire::http::Proxy "http://ada:secret@proxy.example:3128/";',
  'Acquire::https::CAInfo "/etc/ssl/corp.pem";',
  'Acquire::Check-Valid-Until "false";',
  'Acquire::http::Timeout "30";',
  'Acquire::Retries "3";',
  'Dir::Etc "etc/apt";',
].join('\n')

test('Of apt’s settings only those go into a build that hold there and hide no password.', () => {
  expect(fetchSettings(CONFIG)).toBe(
    'Acquire::Check-Valid-Until "false";\nAcquire::http::Timeout "30";\nAcquire::Retries "3";\n',
  )
})

test('The proxy of the environment goes before apt’s, in both spellings.', () => {
  const env = { https_proxy: 'http://p.example:1', NO_PROXY: 'localhost' }
  expect(proxyArguments(env, CONFIG)).toEqual({
    HTTP_PROXY: 'http://ada:secret@proxy.example:3128/',
    http_proxy: 'http://ada:secret@proxy.example:3128/',
    HTTPS_PROXY: 'http://p.example:1',
    https_proxy: 'http://p.example:1',
    NO_PROXY: 'localhost',
    no_proxy: 'localhost',
  })
})

test('A machine without proxies gives no build argument.', () => {
  expect(proxyArguments({}, 'Acquire::http::Proxy "DIRECT";')).toEqual({})
})

test('Mirrors replace the distribution’s hosts; those hosts themselves are no mirrors.', () => {
  const lines = [
    `http://${['deb', 'debian', 'org'].join('.')}/debian/ Debian`,
    'https://mirror.example/pub/debian/ Debian',
    'https://mirror.example/pub/debian/ Debian',
    'https://mirror.example/debian-security/ Debian',
    'https://tools.example/debian/ Tools',
    'https://ada:secret@private.example/debian-debug/ Debian',
    'not an address Debian',
    '',
  ]
  expect(mirrorLines(lines.join('\n'))).toBe(
    'debian https://mirror.example/pub/debian\ndebian-security https://mirror.example/debian-security\n',
  )
})
