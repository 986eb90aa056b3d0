import { expect, test } from 'vitest'

import { loadProfile, profileIds } from '../../../src/agents/profile.ts'
import { type Surroundings, agentReadiness } from '../../../src/agents/readiness.ts'
import { GloveboxError } from '../../../src/errors.ts'
import { imageTag } from '../../../src/images/catalogue.ts'
import type { Lock } from '../../../src/images/lock.ts'
import { mergePolicy } from '../../../src/policy/merge.ts'
import { imageEngine, otherArch } from '../../support/engine/image-engine.ts'

const roles = ['egress-proxy', 'agent-codex'] as const
const { engine, images } = imageEngine({ arch: otherArch(), present: roles.map(imageTag) })
const pins = roles.map((role) => [
  role,
  { name: imageTag(role), id: images.get(imageTag(role))?.id ?? '' },
])
const lock: Lock = { version: 1, engines: { [engine.info.uri]: Object.fromEntries(pins) } }
const around: Surroundings = {
  engine,
  lock,
  policy: mergePolicy({}),
  env: { OPENAI_API_KEY: 'sk-key' },
}

const find = async (id: string, more: Partial<Surroundings> = {}) =>
  (await agentReadiness({ ...around, ...more })).find((agent) => agent.id === id)

test('an agent with its images and a key is ready, in the version of its package', async () => {
  expect(await find('codex')).toEqual({
    id: 'codex',
    title: 'Codex',
    version: loadProfile('codex').initialize.agentInfo.version,
    default: false,
    ready: true,
    image: 'ready',
    key: 'present',
    provider: 'openai',
    missing: [],
  })
})

test('what is missing is told with what to do', async () => {
  const claude = await find('claude')
  expect(claude).toMatchObject({ ready: false, image: 'missing', key: 'missing', provider: null })
  expect(claude?.missing).toEqual([
    'Run `glovebox build claude`.',
    expect.stringContaining('Set ANTHROPIC_API_KEY'),
  ])
  expect(await find('bundled')).toMatchObject({
    default: true,
    missing: ['Run `glovebox build`.'],
  })
})

test('an image that is not the locked one is told apart from one that is missing', async () => {
  const changed = { name: imageTag('agent-codex'), id: `sha256:${'0'.repeat(64)}` }
  const pinned = { ...lock.engines[engine.info.uri], 'agent-codex': changed }
  const codex = await find('codex', {
    lock: { version: 1, engines: { [engine.info.uri]: pinned } },
  })
  expect(codex).toMatchObject({ ready: false, image: 'not_pinned', key: 'present' })
})

test('without an engine every agent says why', async () => {
  const fault = new GloveboxError('engine_missing', 'There is no engine.', 'Start one.')
  const agents = await agentReadiness({ ...around, engine: fault })
  expect(agents.map(({ id }) => id)).toEqual(profileIds())
  for (const { image, ready, missing } of agents) {
    expect([image, ready, missing[0]]).toEqual(['unknown', false, fault.sentence])
  }
})

test('an agent that the policy does not allow is not listed', async () => {
  const policy = mergePolicy({ admin: { version: 1, agents: ['codex'] } })
  const agents = await agentReadiness({ ...around, policy })
  expect(agents.map(({ id }) => id)).toEqual(['codex'])
})
