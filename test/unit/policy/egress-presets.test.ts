import { expect, test } from 'vitest'

import { faultOf } from '../../../egress-proxy/decide.ts'
import { EgressRule } from '../../../egress-proxy/policy.ts'
import {
  EGRESS_PRESET_NAMES,
  presetHosts,
  presetRules,
} from '../../../src/policy/egress-presets.ts'
import { explainEgress } from '../../../src/policy/explain-egress.ts'
import { mergePolicy } from '../../../src/policy/merge.ts'
import { AdminPolicy, ProjectPolicy, UserConfig } from '../../../src/policy/schema.ts'

const user = (egress: object) => UserConfig.parse({ version: 1, egress })
const admin = (egress: object) => AdminPolicy.parse({ version: 1, egress })
const project = (egress: object) => ProjectPolicy.parse({ version: 1, egress })

test('all that issue and documentation promise are there', () => {
  const named = 'npm pypi crates go maven debian ubuntu github gitlab docker-hub ghcr quay'
  expect(EGRESS_PRESET_NAMES).toEqual(expect.arrayContaining(named.split(' ')))
})

test.for(EGRESS_PRESET_NAMES)('%s has exact hosts, each with a reason', (name) => {
  const rules = presetRules(name).map((rule) => EgressRule.parse(rule))
  expect(rules.filter(({ host }) => host.startsWith('*'))).toEqual([])
  expect(presetHosts(name).filter(({ why }) => why.length < 5)).toEqual([])
  expect(rules.length).toBeGreaterThan(0)
})

test('all presets together are a sound list of rules', () => {
  const rules = EGRESS_PRESET_NAMES.flatMap(presetRules)
  expect(faultOf({ rules, gateway: [] })).toBeUndefined()
})

test('an unknown or doubled preset is refused, with the names there are', () => {
  const unknown = UserConfig.safeParse({ version: 1, egress: { presets: ['nmp'] } })
  expect(unknown.error?.issues[0]?.message).toMatch(/expected one of npm, pypi/)
  expect(UserConfig.safeParse({ version: 1, egress: { presets: ['npm', 'npm'] } }).success).toBe(
    false,
  )
})

test('a preset stands beside rules, and each layer narrows with it', () => {
  const own = { id: 'own', host: 'a.test', ports: [443], protocol: 'tls' }
  const layers = { user: user({ presets: ['npm', 'pypi'], rules: [own] }) }
  expect(mergePolicy(layers).egress.rules.map(({ host }) => host)).toEqual([
    'a.test',
    'registry.npmjs.org',
    'pypi.org',
    'files.pythonhosted.org',
  ])
  const narrowed = mergePolicy({ ...layers, admin: admin({ presets: ['npm', 'go'] }) })
  expect(narrowed.egress.rules.map(({ host }) => host)).toEqual(['registry.npmjs.org'])
  const none = mergePolicy({ ...layers, project: project({ presets: [] }) })
  expect(none.egress.rules).toEqual([])
  const alone = mergePolicy({ project: project({ presets: ['npm'] }) })
  expect(alone.egress.rules).toEqual([])
})

const layers = {
  user: user({ presets: ['npm', 'debian', 'pypi'] }),
  admin: admin({ deny: [{ host: 'pypi.org' }] }),
  project: project({ presets: ['npm', 'pypi'] }),
}

test.for([
  [
    'registry.npmjs.org',
    undefined,
    undefined,
    { allowed: true, layer: 'user', canonical: 'registry.npmjs.org:443' },
  ],
  [
    'Registry.NPMJS.org.:443',
    undefined,
    undefined,
    { allowed: true, why: expect.stringContaining('package') },
  ],
  ['registry.npmjs.org:80', undefined, undefined, { reason: 'port_not_allowed', layer: 'user' }],
  ['evil.test', undefined, undefined, { reason: 'host_not_allowed', layer: 'user' }],
  ['pypi.org', undefined, undefined, { reason: 'host_not_allowed', layer: 'admin' }],
  ['deb.debian.org', 'GET', '/debian/x', { reason: 'host_not_allowed', layer: 'project' }],
  ['127.1', undefined, undefined, { reason: 'ip_literal_not_allowed', canonical: '127.0.0.1:443' }],
  ['api.anthropic.com', undefined, undefined, { reason: 'use_gateway' }],
  [
    'a..b',
    undefined,
    undefined,
    { reason: 'malformed_host', canonical: undefined, layer: undefined },
  ],
  ['a.test:0', undefined, undefined, { reason: 'malformed_authority' }],
] as const)('%s %s %s is explained', ([destination, method, path, expected]) => {
  const explained = explainEgress(layers, { destination, method, path })
  expect(explained).toMatchObject({ allowed: false, ...expected })
})

test('a request is judged with its method and path', () => {
  const only = { user: user({ presets: ['debian'] }) }
  const ask = (method: string, path: string) =>
    explainEgress(only, { destination: 'deb.debian.org', method, path }).reason
  expect(ask('GET', '/debian/x?y')).toBeUndefined()
  expect(ask('POST', '/debian/x')).toBe('method_not_allowed')
  expect(ask('GET', '/debian/../x')).toBe('path_not_canonical')
})

test('without any configuration the default says no', () => {
  expect(explainEgress({}, { destination: 'a.test' })).toMatchObject({ layer: 'default' })
})
