import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { initializeAnswer } from '../../../src/acp/initialize.ts'
import { loadProfile, profileEnv, profileIds } from '../../../src/agents/profile.ts'

const Preset = z.enum(['anthropic', 'openai'])
const Schema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  title: z.string().min(1),
  image: z.string().startsWith('agent-'),
  command: z.array(z.string()).min(1),
  presets: z.array(Preset).min(1),
  env: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()),
  models: z.partialRecord(Preset, z.string()),
  state: z.string().startsWith('/').optional(),
  initialize: z.strictObject({
    agentInfo: z.strictObject({ name: z.string(), title: z.string(), version: z.string() }),
    agentCapabilities: z.record(z.string(), z.unknown()),
    _meta: z.record(z.string(), z.unknown()).optional(),
  }),
})

describe('the shipped profiles', () => {
  test.for(profileIds())('%s is valid and named after its file', (id) => {
    expect(Schema.parse(loadProfile(id)).id).toBe(id)
  })

  test.for(profileIds())('%s offers nothing over ACP that Glovebox does not carry', (id) => {
    expect(initializeAnswer(loadProfile(id), { hasKey: true, keepsSessions: true })).toMatchObject({
      protocolVersion: 1,
      authMethods: [],
      agentCapabilities: { mcpCapabilities: { http: false, sse: false } },
    })
  })

  test.for(profileIds())('%s takes its model traffic to the gateway with a placeholder', (id) => {
    const env = profileEnv(loadProfile(id), {
      gateway: 'http://127.0.0.1:3129/anthropic',
      preset: 'anthropic',
      model: undefined,
      placeholder: 'placeholder',
    })
    expect(Object.values(env)).toContain('http://127.0.0.1:3129/anthropic')
    expect(Object.values(env)).toContain('placeholder')
    expect(JSON.stringify(env)).not.toContain('${')
  })
})
