import { describe, expect, test } from 'vitest'

import { parseAuthority } from '../../../egress-proxy/authority.ts'
import {
  type Policy,
  decide,
  faultOf,
  matchesHost,
  policyFrom,
} from '../../../egress-proxy/decide.ts'
import type { EgressRule, GatewayRoute } from '../../../egress-proxy/policy.ts'

const rule = (id: string, host: string, more: Partial<EgressRule> = {}): EgressRule => ({
  id,
  host,
  ports: [443],
  protocol: 'tls',
  ...more,
})

const gateway: GatewayRoute[] = [
  { id: 'anthropic', preset: 'anthropic', origin: 'https://model.test' },
]
const policy: Policy = policyFrom(
  {
    rules: [
      rule('api', 'api.allowed.test'),
      rule('plain', 'plain.allowed.test', { ports: [80], protocol: 'http' }),
      rule('wild', '*.wild.test', { ports: [80], protocol: 'http' }),
      rule('one', 'one.wild.test', { ports: [80], protocol: 'http', methods: ['GET'] }),
      rule('path', 'path.allowed.test', { ports: [80], protocol: 'http', paths: ['/v1/**'] }),
      rule('slash', 'slash.test', { ports: [80], protocol: 'http', encoded_slash: true }),
    ],
    deny: [{ host: 'bad.wild.test' }, { host: '*.allowed.test', ports: [22] }],
    gateway,
  },
  'box-1',
)

function connectTo(authority: string) {
  const parsed = parseAuthority(authority)
  if (!parsed.ok) throw new Error(authority)
  const made = decide(policy, { kind: 'connect', authority: parsed.value })
  return made.verdict === 'allow' ? made.rule.id : made.reason
}

function request(authority: string, method = 'GET', path = '/') {
  const parsed = parseAuthority(authority)
  if (!parsed.ok) throw new Error(authority)
  const made = decide(policy, { kind: 'http', authority: parsed.value, method, path })
  return made.verdict === 'allow' ? made.rule.id : made.reason
}

describe('CONNECT', () => {
  test.for([
    ['api.allowed.test:443', 'api'],
    ['API.allowed.test.:443', 'api'],
    ['api.allowed.test:23', 'port_not_allowed'],
    ['api.allowed.test:22', 'host_not_allowed'],
    ['plain.allowed.test:80', 'plain'],
    ['evil.test:443', 'host_not_allowed'],
    ['xn--pple-43d.com:443', 'host_not_allowed'],
    ['c2VjcmV0.evil.test:443', 'host_not_allowed'],
    ['api.allowed.test.evil.test:443', 'host_not_allowed'],
    ['bad.wild.test:80', 'host_not_allowed'],
    ['127.0.0.1:443', 'ip_literal_not_allowed'],
    ['2130706433:443', 'ip_literal_not_allowed'],
    ['[::1]:443', 'ip_literal_not_allowed'],
    ['[::ffff:7f00:1]:443', 'ip_literal_not_allowed'],
    ['[0:0:0:0:0:ffff:7f00:1]:443', 'ip_literal_not_allowed'],
    ['[::ffff:0:7f00:1]:443', 'resolved_private'],
    ['[::7f00:1]:443', 'resolved_private'],
    ['[64:ff9b::a9fe:a9fe]:443', 'resolved_private'],
    ['box-1:443', 'self_connection'],
    ['gateway:9090', 'self_connection'],
    ['localhost:443', 'host_not_allowed'],
    ['model.test:443', 'use_gateway'],
  ] as const)('%s: %s', ([authority, expected]) => expect(connectTo(authority)).toBe(expected))
})

describe('HTTP', () => {
  test.for([
    ['plain.allowed.test:80', 'GET', '/x', 'plain'],
    ['plain.allowed.test:80', 'TRACE', '/x', 'method_not_allowed'],
    ['plain.allowed.test:8081', 'GET', '/x', 'port_not_allowed'],
    ['api.allowed.test:443', 'GET', '/x', 'scheme_not_allowed'],
    ['a.wild.test:80', 'POST', '/x', 'wild'],
    ['a.b.wild.test:80', 'GET', '/x', 'wild'],
    ['wild.test:80', 'GET', '/x', 'host_not_allowed'],
    ['evilwild.test:80', 'GET', '/x', 'host_not_allowed'],
    ['a.wild.test.evil.test:80', 'GET', '/x', 'host_not_allowed'],
    ['one.wild.test:80', 'GET', '/x', 'one'],
    ['path.allowed.test:80', 'GET', '/v1/x', 'path'],
    ['path.allowed.test:80', 'GET', '/v2/x', 'path_not_allowed'],
    ['path.allowed.test:80', 'GET', '/v1/../admin', 'path_not_canonical'],
    ['plain.allowed.test:80', 'GET', '/v1/%2e%2e/admin', 'path_not_canonical'],
    ['plain.allowed.test:80', 'GET', '//evil.test/x', 'path_not_canonical'],
    ['plain.allowed.test:80', 'GET', '/@scope%2fname', 'path_not_canonical'],
    ['slash.test:80', 'GET', '/@scope%2fname', 'slash'],
    ['slash.test:80', 'GET', '/a%2f..%2fb', 'path_not_canonical'],
  ] as const)('%s %s %s: %s', ([authority, method, path, expected]) =>
    expect(request(authority, method, path)).toBe(expected),
  )
})

test('an empty list of rules denies everything', () => {
  const none = policyFrom({ rules: [], deny: [], gateway: [] }, 'box')
  const parsed = parseAuthority('api.allowed.test:443')
  if (!parsed.ok) throw new Error('test')
  expect(decide(none, { kind: 'connect', authority: parsed.value })).toEqual({
    verdict: 'deny',
    reason: 'host_not_allowed',
  })
})

test('a pattern’s dots are dots', () => {
  expect(matchesHost('plain.allowed.test', 'plainxallowed.test')).toBe(false)
  expect(matchesHost('*.wild.test', '.wild.test')).toBe(false)
})

const route = (more: Partial<GatewayRoute>): GatewayRoute => ({
  id: 'r',
  preset: 'openai',
  origin: 'https://model.test',
  ...more,
})

describe('a configuration is refused that', () => {
  const key = { header: 'authorization', value: 'secret-key' } as const
  test.for<[string, { rules?: EgressRule[]; gateway?: GatewayRoute[] }]>([
    ['uses a rule id twice', { rules: [rule('x', 'a.test'), rule('x', 'b.test')] }],
    ['uses a route id twice', { gateway: [route({}), route({})] }],
    [
      'sends a credential over http',
      { gateway: [route({ origin: 'http://m.test', credential: key })] },
    ],
    [
      'has a line break in a credential',
      { gateway: [route({ credential: { ...key, value: 'a\nb' } })] },
    ],
    ['has user info in an origin', { gateway: [route({ origin: 'https://u:p@m.test' })] }],
    ['has a query in an origin', { gateway: [route({ origin: 'https://m.test/?a=b' })] }],
  ])('%s', ([, parts]) => {
    const fault = faultOf({ rules: [], gateway: [], ...parts })
    expect(fault).toEqual(expect.any(String))
    expect(fault).not.toContain('secret-key')
  })

  test('and one is accepted that asks for http explicitly', () => {
    const local = route({ origin: 'http://m.test:8080/base', credential: key, insecure_http: true })
    expect(faultOf({ rules: [rule('x', 'a.test')], gateway: [local] })).toBeUndefined()
  })
})
