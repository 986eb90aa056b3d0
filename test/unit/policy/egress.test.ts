import { expect, test } from 'vitest'

import type { EgressRule } from '../../../egress-proxy/policy.ts'
import { intersectRules } from '../../../src/policy/egress.ts'

const rule = (id: string, host: string, more: Partial<EgressRule> = {}): EgressRule => ({
  id,
  host,
  ports: [443],
  protocol: 'tls',
  ...more,
})

const NONE = { rules: [], deny: [] }

test('ports, methods and sizes are those of both, and the id names both rules', () => {
  const one = rule('u', '*.x.test', {
    protocol: 'http',
    ports: [80, 443],
    methods: ['GET', 'POST'],
    max_request_bytes: 100,
    encoded_slash: true,
  })
  const other = rule('a', 'b.x.test', {
    protocol: 'http',
    ports: [80, 8080],
    methods: ['GET'],
    paths: ['/p'],
  })
  expect(intersectRules([one], [other])).toEqual({
    rules: [
      {
        id: 'u & a',
        host: 'b.x.test',
        ports: [80],
        protocol: 'http',
        methods: ['GET'],
        paths: ['/p'],
        max_request_bytes: 100,
      },
    ],
    deny: [],
  })
})

test.for([
  ['tls', 'tls', 'tls'],
  ['tcp', 'tcp', 'tcp'],
  ['http', 'http', 'http'],
  ['tls', 'tcp', 'tls'],
  ['http', 'tcp', undefined],
  ['http', 'tls', undefined],
] as const)('%s and %s leave %s', ([one, other, both]) => {
  const found = intersectRules(
    [rule('a', 'a.test', { protocol: one })],
    [rule('b', 'a.test', { protocol: other })],
  )
  expect(found.rules.map(({ protocol }) => protocol)).toEqual(both === undefined ? [] : [both])
})

test('TLS stays strict unless each rule that looks at it is loose', () => {
  const loose = rule('a', 'a.test', { sni: 'optional', ech: 'allow' })
  const strict = rule('b', 'a.test')
  const tunnel = rule('c', 'a.test', { protocol: 'tcp' })
  expect(intersectRules([loose], [strict]).rules[0]).not.toHaveProperty('sni')
  expect(intersectRules([loose], [strict]).rules[0]).not.toHaveProperty('ech')
  expect(intersectRules([loose], [loose]).rules[0]).toMatchObject({ sni: 'optional', ech: 'allow' })
  expect(intersectRules([tunnel], [loose]).rules[0]).toMatchObject({
    protocol: 'tls',
    ech: 'allow',
  })
})

test('rules without a common host, port, method or path leave nothing', () => {
  const base = rule('a', 'a.test', { protocol: 'http', methods: ['GET'], paths: ['/a'] })
  for (const other of [
    { host: 'b.test' },
    { ports: [80] },
    { methods: ['POST'] },
    { paths: ['/b'] },
  ]) {
    expect(intersectRules([base], [{ ...base, ...other }])).toEqual(NONE)
  }
  expect(intersectRules([base], [])).toEqual(NONE)
})

test('long ids are cut to their limit and stay different', () => {
  const ids = ['x', 'y'].map((end) => 'i'.repeat(127) + end)
  const found = intersectRules(
    ids.map((id, index) => rule(id, `h${index}.x.test`)),
    [rule('j', '*.x.test')],
  ).rules.map(({ id }) => id)
  expect(new Set(found).size).toBe(2)
  for (const id of found) expect(id.length).toBeLessThanOrEqual(128)
})

test('a wildcard does not loosen the exception its own list makes for one host', () => {
  const own = [rule('all', '*.x.test', { protocol: 'tcp' }), rule('one', 'a.x.test')]
  const filter = [rule('f', 'a.x.test', { protocol: 'tcp' })]
  for (const found of [intersectRules(own, filter), intersectRules(filter, own)]) {
    expect(found.rules.map(({ protocol }) => protocol)).toEqual(['tls'])
  }
})

test('an exception that falls away is denied, so that no wildcard speaks for its host', () => {
  const own = [rule('all', '*.x.test'), rule('one', 'a.x.test', { protocol: 'http' })]
  const filter = [rule('f', '*.x.test')]
  for (const found of [intersectRules(own, filter), intersectRules(filter, own)]) {
    expect(found.rules.map(({ host }) => host)).toEqual(['*.x.test'])
    expect(found.deny).toEqual([{ host: 'a.x.test', ports: [443] }])
  }
})

test('of two overlapping wildcards only the first speaks where they differ', () => {
  const own = [rule('one', '*.a.x.test'), rule('two', '*.x.test', { protocol: 'tcp' })]
  const filter = [rule('f', 'b.a.x.test', { protocol: 'tcp' })]
  expect(intersectRules(own, filter).rules.map(({ id }) => id)).toEqual(['one & f'])
})
