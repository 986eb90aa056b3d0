import { expect, test } from 'vitest'

import { mergePolicy } from '../../../src/policy/merge.ts'
import { MASKED, PROTECTED } from '../../../src/project/guarded/names.ts'

const rule = { id: 'r', host: '*.x.test', ports: [443], protocol: 'tls' as const }

test('without any file the defaults hold', () => {
  expect(mergePolicy({})).toEqual({
    agent: 'bundled',
    providers: {
      anthropic: {
        preset: 'anthropic',
        base_url: 'https://api.anthropic.com',
        key_env: 'ANTHROPIC_API_KEY',
      },
      openai: { preset: 'openai', base_url: 'https://api.openai.com', key_env: 'OPENAI_API_KEY' },
      gemini: {
        preset: 'gemini',
        base_url: 'https://generativelanguage.googleapis.com',
        key_env: 'GEMINI_API_KEY',
      },
    },
    egress: {
      rules: [],
      deny: [],
      networks: [],
      limits: { connections: 1024, tunnels: 256, requests: 256, tunnel_idle_s: 900 },
    },
    limits: {
      memory_mb: 4096,
      cpus: 4,
      pids: 1024,
      tmp_mb: 1024,
      home_mb: 1024,
      nofile: 65_536,
    },
    mask: [...MASKED],
    unmask: [],
    protect: [...PROTECTED],
    planted: 'quarantine',
    project: 'read-write',
    state: 'project',
    unenforced_limits: 'tell',
  })
})

test('the user chooses, also above the default limits', () => {
  const policy = mergePolicy({
    user: {
      version: 1,
      agent: 'claude',
      model: 'm',
      provider: 'openai',
      egress: { rules: [rule], networks: ['db'] },
      limits: { memory_mb: 16_000 },
    },
  })
  expect(policy).toMatchObject({
    agent: 'claude',
    model: 'm',
    provider: 'openai',
    egress: { rules: [rule], networks: ['db'] },
    limits: { memory_mb: 16_000, cpus: 4 },
  })
})

test('a built-in provider the user names again keeps what is not said anew', () => {
  const { providers } = mergePolicy({
    user: { version: 1, providers: { anthropic: { base_url: 'https://llm.corp.test' } } },
  })
  expect(providers['anthropic']).toEqual({
    preset: 'anthropic',
    base_url: 'https://llm.corp.test',
    key_env: 'ANTHROPIC_API_KEY',
  })
})

test('a key file takes the place of the usual variable', () => {
  const { providers } = mergePolicy({
    user: { version: 1, providers: { openai: { key_file: '/k' } } },
  })
  expect(providers['openai']).toMatchObject({ key_file: '/k', key_env: undefined })
})

test('a new provider without key_env or key_file wants no key', () => {
  const local = { preset: 'openai' as const, base_url: 'http://llm.test:11434' }
  const { providers } = mergePolicy({ user: { version: 1, providers: { local } } })
  expect(providers['local']).toMatchObject({ ...local, key_env: undefined })
})

test('the administrator and the project lower limits and never raise them', () => {
  const { limits } = mergePolicy({
    admin: { version: 1, limits: { memory_mb: 2_000, pids: 9_999 } },
    project: { version: 1, limits: { memory_mb: 3_000, cpus: 1 } },
  })
  expect(limits).toMatchObject({ memory_mb: 2_000, pids: 1_024, cpus: 1 })
})

test('a project cannot open what the user did not', () => {
  const { egress } = mergePolicy({ project: { version: 1, egress: { rules: [rule] } } })
  expect(egress.rules).toEqual([])
})

test('a rule of the user passes where the administrator and the project have one for it', () => {
  const { egress } = mergePolicy({
    admin: { version: 1, egress: { rules: [{ ...rule, id: 'a' }] } },
    user: { version: 1, egress: { rules: [{ ...rule, id: 'u', host: 'api.x.test' }] } },
    project: { version: 1, egress: { rules: [{ ...rule, id: 'p', ports: [443, 80] }] } },
  })
  expect(egress.rules).toEqual([
    { id: 'u & a & p', host: 'api.x.test', ports: [443], protocol: 'tls' },
  ])
})

test('denied hosts add up over the layers', () => {
  const deny = ['a.x.test', 'b.x.test', 'c.x.test'].map((host) => [{ host }])
  const { egress } = mergePolicy({
    admin: { version: 1, egress: { deny: deny[0] } },
    user: { version: 1, egress: { deny: deny[1] } },
    project: { version: 1, egress: { deny: deny[2] } },
  })
  expect(egress.deny.map(({ host }) => host).toSorted()).toEqual([
    'a.x.test',
    'b.x.test',
    'c.x.test',
  ])
})

test('only networks that the administrator lists are joined', () => {
  const { egress } = mergePolicy({
    admin: { version: 1, egress: { networks: ['db'] } },
    user: { version: 1, egress: { networks: ['db', 'other'] } },
  })
  expect(egress.networks).toEqual(['db'])
})

test('the agents are those of every layer that lists some', () => {
  const { agents } = mergePolicy({
    admin: { version: 1, agents: ['bundled', 'claude'] },
    project: { version: 1, agents: ['claude', 'codex'] },
  })
  expect(agents).toEqual(['claude'])
})

test.for(['admin', 'user', 'project'] as const)('refuse of the %s wins over tell', (layer) => {
  const others = { admin: 'tell', user: 'tell', project: 'tell' } as const
  const said = Object.entries({ ...others, [layer]: 'refuse' as const }).map(
    ([name, unenforced_limits]) => [name, { version: 1, unenforced_limits }],
  )
  expect(mergePolicy(Object.fromEntries(said)).unenforced_limits).toBe('refuse')
})

test('the administrator allows providers by preset and URL, built-in ones by name alone', () => {
  const admin = { version: 1 as const, providers: { anthropic: {} } }
  expect(Object.keys(mergePolicy({ admin }).providers)).toEqual(['anthropic'])
  const elsewhere = { anthropic: { base_url: 'https://evil.test' } }
  expect(mergePolicy({ admin, user: { version: 1, providers: elsewhere } }).providers).toEqual({})
})

test('an unencrypted or private provider needs the administrator, too', () => {
  const route = { preset: 'openai' as const, base_url: 'http://llm.test/v1' }
  const open = { ...route, insecure_http: true, allow_private: ['10.0.0.0/8'] }
  const merged = (admin: object) =>
    mergePolicy({
      admin: { version: 1, providers: { any: { ...route, ...admin } } },
      user: { version: 1, providers: { local: open } },
    }).providers['local']
  expect(merged({})).toMatchObject({ insecure_http: false, allow_private: [] })
  expect(merged({ insecure_http: true, allow_private: ['10.1.0.0/16'] })).toMatchObject({
    insecure_http: true,
    allow_private: ['10.1.0.0/16'],
  })
})

test('a denied host is no provider either', () => {
  const deny = [{ host: '*.openai.com', ports: [443] }]
  const { providers } = mergePolicy({ project: { version: 1, egress: { deny } } })
  expect(Object.keys(providers)).toEqual(['anthropic', 'gemini'])
})

test.for<['project' | 'ephemeral', 'project' | 'ephemeral', string]>([
  ['project', 'project', 'project'],
  ['project', 'ephemeral', 'ephemeral'],
  ['ephemeral', 'project', 'ephemeral'],
])('sessions of a user’s %s and a project’s %s are kept as %s', ([user, project, kept]) => {
  const layers = {
    user: { version: 1, state: user },
    project: { version: 1, state: project },
  } as const
  expect(mergePolicy(layers).state).toBe(kept)
})

test('masks add up over the layers, and the user takes back only what is no other layer’s', () => {
  const merged = mergePolicy({
    admin: { version: 1, mask: ['*.token'] },
    user: { version: 1, mask: ['mine'], unmask: ['.env', '*.token', 'cut'] },
    project: { version: 1, mask: ['cut'] },
  })
  expect(merged.mask).toEqual([...MASKED, 'mine', '*.token', 'cut'])
  expect(merged.unmask).toEqual(['.env'])
})

test('quarantine and a read-only project win over the looser word', () => {
  const user = { version: 1, planted: 'report', project: 'read-write' } as const
  expect(mergePolicy({ user })).toMatchObject({ planted: 'report', project: 'read-write' })
  const project = { version: 1, planted: 'quarantine', project: 'read-only' } as const
  expect(mergePolicy({ user, project })).toMatchObject({
    planted: 'quarantine',
    project: 'read-only',
  })
})
