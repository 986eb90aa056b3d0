import { describe, expect, test } from 'vitest'

import { faultInHello, parseHello } from '../../../egress-proxy/sni.ts'
import { clientHello } from '../../support/egress/client-hello.ts'

const names = ['api.allowed.test']
const hello = { names, ech: false }

const body = clientHello({ names }).subarray(5)
const coalesced = Buffer.concat([
  Buffer.from([22, 3, 1, (2 * body.length) >> 8, (2 * body.length) & 0xff]),
  body,
  body,
])

test.for([
  ['plain', clientHello({ names }), { state: 'hello', hello }],
  ['large', clientHello({ names, padding: 1_500 }), { state: 'hello', hello }],
  ['over many records', clientHello({ names, padding: 50, record: 3 }), { state: 'hello', hello }],
  ['without a name', clientHello({}), { state: 'hello', hello: { names: [], ech: false } }],
  ['with ECH', clientHello({ names, ech: true }), { state: 'hello', hello: { names, ech: true } }],
  [
    'followed by data',
    Buffer.concat([clientHello({ names }), Buffer.from('xyz')]),
    { state: 'hello', hello },
  ],
  ['SSH', Buffer.from('SSH-2.0-OpenSSH_9\r\n'), { state: 'bad', reason: 'not_tls' }],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n'), { state: 'bad', reason: 'not_tls' }],
  [
    'another handshake message',
    Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]),
    { state: 'bad', reason: 'not_tls' },
  ],
  ['an alert', Buffer.from([21, 3, 1, 0, 2, 1, 0]), { state: 'bad', reason: 'not_tls' }],
  ['an empty record', Buffer.from([22, 3, 1, 0, 0]), { state: 'bad', reason: 'sni_invalid' }],
  ['with a second one in its record', coalesced, { state: 'bad', reason: 'sni_invalid' }],
  [
    'with a record that goes on',
    coalesced.subarray(0, 5 + clientHello({ names }).length - 5),
    { state: 'bad', reason: 'sni_invalid' },
  ],
  ['nothing yet', Buffer.alloc(0), { state: 'more' }],
] as const)('a greeting %s is read as what it is', ([, bytes, expected]) =>
  expect(parseHello(bytes)).toEqual(expected),
)

test('every beginning of a greeting asks for more', () => {
  for (const record of [16_384, 40, 1]) {
    const bytes = clientHello({ names, padding: 20, record })
    for (let length = 0; length < bytes.length; length += 1) {
      expect(parseHello(bytes.subarray(0, length))).toEqual({ state: 'more' })
    }
  }
})

test('a greeting with a broken length or a doubled extension is invalid', () => {
  const bytes = clientHello({ names })
  const extensionsAt = 5 + 4 + 2 + 32 + 1 + 4 + 2
  const broken = Buffer.from(bytes)
  broken.writeUInt16BE(0xffff, extensionsAt + 4)
  expect(parseHello(broken)).toEqual({ state: 'bad', reason: 'sni_invalid' })
})

describe('a greeting may pass', () => {
  const target = 'api.allowed.test'
  test.for([
    [['api.allowed.test'], {}, undefined],
    [['API.Allowed.TEST.'], {}, undefined],
    [['evil.test'], {}, 'sni_mismatch'],
    [['api.allowed.test.evil.test'], {}, 'sni_mismatch'],
    [['127.0.0.1'], {}, 'sni_invalid'],
    [['2130706433'], {}, 'sni_invalid'],
    [['evil.test\u0000.allowed.test'], {}, 'sni_invalid'],
    [['api%2eallowed.test'], {}, 'sni_invalid'],
    [['api.allowed.test', 'evil.test'], {}, 'sni_invalid'],
    [[], {}, 'sni_missing'],
    [[], { sni: 'optional' }, undefined],
    [['evil.test'], { sni: 'optional' }, 'sni_mismatch'],
  ] as const)('%j by %j: %s', ([given, rule, fault]) => {
    expect(faultInHello({ names: [...given], ech: false }, target, rule)).toBe(fault)
  })

  test('with a hidden name only where the rule says so', () => {
    const hidden = { names: [target], ech: true }
    expect(faultInHello(hidden, target, {})).toBe('ech_present')
    expect(faultInHello(hidden, target, { ech: 'allow' })).toBeUndefined()
  })
})
