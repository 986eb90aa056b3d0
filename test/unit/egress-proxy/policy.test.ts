import { expect, test } from 'vitest'

import { EgressRule, HostPattern } from '../../../egress-proxy/policy.ts'

test.for([
  '*',
  '*.',
  '**',
  '',
  '*.com',
  '*.test',
  '*.co.uk',
  '*.com.au',
  '*.github.io',
  '*.workers.dev',
  '*.nip.io',
  'ex*ample.com',
  'api.*.example.com',
  'example.*',
  'é.com',
  'http://x',
  'x:99999',
  'example.com/',
  'Example.com',
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '[::1]',
  'example.com.',
])('the host pattern %j is refused', (host) =>
  expect(HostPattern.safeParse(host).success).toBe(false),
)

test.for([
  'example.com',
  '*.example.com',
  'model',
  'xn--e1afmkfd.xn--p1ai',
  'a_b.example.com',
  '*.a.co.uk',
])('the host pattern %j is accepted', (host) =>
  expect(HostPattern.safeParse(host).success).toBe(true),
)

test('a rule with an unknown key is refused', () => {
  const rule = { id: 'a', host: 'a.test', ports: [443], protocol: 'tls' }
  expect(EgressRule.safeParse(rule).success).toBe(true)
  expect(EgressRule.safeParse({ ...rule, port: 80 }).success).toBe(false)
  expect(EgressRule.safeParse({ ...rule, ports: [] }).success).toBe(false)
  expect(EgressRule.safeParse({ ...rule, allow_private: ['10.0.0.0'] }).success).toBe(false)
})
