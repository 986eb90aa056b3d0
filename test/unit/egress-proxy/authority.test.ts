import { describe, expect, test } from 'vitest'

import { parseAuthority, parseHost, parseHostPort } from '../../../egress-proxy/authority.ts'

const name = (text: string, plain = true) => ({ ok: true, value: { kind: 'name', text, plain } })
const ip = (text: string) => ({ ok: true, value: { kind: 'ip', text, plain: true } })
const malformed = { ok: false, reason: 'malformed_host' }

describe('a host has one canonical form', () => {
  test.for([
    ['api.allowed.test', name('api.allowed.test')],
    ['API.Allowed.TEST', name('api.allowed.test')],
    ['api.allowed.test.', name('api.allowed.test')],
    ['model', name('model')],
    ['_dmarc.x-y.test', name('_dmarc.x-y.test')],
    ['xn--pple-43d.com', name('xn--pple-43d.com')],
    [`${'a'.repeat(63)}.test`, name(`${'a'.repeat(63)}.test`)],
    ['evil%2etest', name('evil.test', false)],
  ] as const)('%s', ([written, expected]) => expect(parseHost(written)).toEqual(expected))
})

describe('every spelling of an address is an address', () => {
  test.for([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['127.0.513', '127.0.2.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0X7F.1', '127.0.0.1'],
    ['0177.0.0.3', '127.0.0.3'],
    ['0.0.0.0', '0.0.0.0'],
    ['0', '0.0.0.0'],
    ['4294967295', '255.255.255.255'],
    ['[::1]', '::1'],
    ['[::FFFF:7f00:1]', '::ffff:7f00:1'],
    ['[64:ff9b::169.254.169.254]', '64:ff9b::169.254.169.254'],
  ] as const)('%s', ([written, address]) => expect(parseHost(written)).toEqual(ip(address)))
})

test.for([
  '',
  '.',
  '..',
  'a..test',
  '.wild.test',
  'evil.test\u0000.wild.test',
  'a\tb.wild.test',
  'evil.test\n.wild.test',
  'evil.test%00.wild.test',
  'evil.test%0d%0a.wild.test',
  'allowéd.test',
  '①②⑦.1',
  'plain。allowed.test',
  '[evil.test]',
  '[::1',
  '::1',
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
  '[::1].evil.test',
  '-a.test',
  'a-.test',
  'a b.test',
  'a.test/x',
  'a.test@b.test',
  '256.1.1.1',
  '1.2.3.4.5',
  '0x.1.1.1.1',
  '08.1.1.1',
  '127.0.0.256',
  'foo.1',
  '4294967296',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(125)}test`,
])('the host %j is refused', (written) => expect(parseHost(written)).toEqual(malformed))

describe('CONNECT names exactly host:port', () => {
  test.for(['api.test:443', 'API.test.:443', '[::1]:443', 'model:8080'])('%s', (written) =>
    expect(parseAuthority(written).ok).toBe(true),
  )

  test.for([
    'api.test',
    'api.test:',
    ':443',
    'api.test:0',
    'api.test:000443',
    'api.test:+443',
    'api.test:-1',
    'api.test:65979',
    'api.test:65536',
    'api.test:4 3',
    'api.test:443/evil',
    'api.test:443?x',
    'api.test:443#x',
    'api.test:443@evil.test:443',
    'u:p@api.test:443',
    'api.test:443%0d%0aX:1',
    'api.test:443:443',
    'http://api.test:443',
    '::1:443',
    '',
  ])('%j is refused', (written) =>
    expect(parseAuthority(written)).toEqual({ ok: false, reason: 'malformed_authority' }),
  )

  test.for(['evil.test%00.wild.test:443', '[evil.test]:443', '[fe80::1%25lo]:443', 'é.test:443'])(
    '%j has a malformed host',
    (written) => expect(parseAuthority(written)).toEqual(malformed),
  )
})

test('a port that is left out is the scheme’s, and an empty one is malformed', () => {
  expect(parseHostPort('a.test', 80)).toMatchObject({ value: { port: 80 } })
  expect(parseHostPort('[::1]', 80)).toMatchObject({ value: { port: 80 } })
  expect(parseHostPort('a.test:8080', 80)).toMatchObject({ value: { port: 8080 } })
  expect(parseHostPort('a.test:', 80)).toEqual({ ok: false, reason: 'malformed_authority' })
})
