import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { GatewayPreset } from '../../../egress-proxy/policy.ts'
import { initializeAnswer } from '../../../src/acp/initialize.ts'
import {
  type Profile,
  type ProfileValues,
  loadProfile,
  profileEnv,
  profileIds,
} from '../../../src/agents/profile.ts'

const Env = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.json())
const Grace = z.int().min(100).max(60_000)
const Schema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  title: z.string().min(1),
  image: z.string().startsWith('agent-'),
  command: z.array(z.string()).min(1),
  presets: z.array(GatewayPreset).min(1),
  env: Env,
  preset_env: z.partialRecord(GatewayPreset, Env).optional(),
  models: z.partialRecord(GatewayPreset, z.string()),
  state: z.string().startsWith('/').optional(),
  helpers: z.array(z.string().min(1)).optional(),
  cancel: z
    .strictObject({ grace1_ms: Grace, grace2_ms: Grace, grace3_ms: Grace })
    .partial()
    .optional(),
  initialize: z.strictObject({
    agentInfo: z.strictObject({
      name: z.string(),
      title: z.string().optional(),
      version: z.string(),
    }),
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

  const pairs = profileIds().flatMap((id) =>
    loadProfile(id).presets.map((preset): [string, GatewayPreset] => [id, preset]),
  )
  test.for(pairs)(
    '%s takes its traffic to %s by the gateway, with a placeholder',
    ([id, preset]) => {
      for (const model of [undefined, 'a "model"']) {
        const env = profileEnv(loadProfile(id), { ...values, preset, model })
        const text = Object.values(env).join('\n')
        expect(text).toContain(values.gateway)
        expect(text).toContain(values.placeholder)
        expect(text).not.toContain('${')
        expect(text).not.toContain('undefined')
      }
    },
  )
})

const values: ProfileValues = {
  gateway: 'http://127.0.0.1:3129/route',
  preset: 'openai',
  model: undefined,
  placeholder: 'sk-placeholder',
}

describe('profileEnv', () => {
  const filled = (env: Profile['env'], more: Partial<Profile & ProfileValues> = {}) =>
    profileEnv({ ...loadProfile('bundled'), preset_env: {}, ...more, env }, { ...values, ...more })

  test('leaves out what needs a model when there is none', () => {
    const env = {
      NAME: '${model}',
      CONFIG: { model: '${model}', on: true, list: ['${model}', 'x'] },
    }
    expect(filled(env)).toEqual({ CONFIG: '{"on":true,"list":["x"]}' })
    expect(filled(env, { model: 'm' })).toEqual({
      NAME: 'm',
      CONFIG: '{"model":"m","on":true,"list":["m","x"]}',
    })
  })

  test('makes JSON of objects, whatever the values hold, and replaces in keys too', () => {
    const model = '"}$& `x` ${gateway}\n'
    const { CONFIG = '' } = filled({ CONFIG: { models: { '${model}': {} } } }, { model })
    expect(JSON.parse(CONFIG)).toEqual({ models: { [model]: {} } })
  })

  test('adds what the preset needs, and nothing of another one', () => {
    const preset_env = { openai: { KEY: '${placeholder}' }, anthropic: { OTHER: 'x' } }
    expect(filled({ BASE: '${gateway}' }, { preset_env })).toEqual({
      BASE: values.gateway,
      KEY: values.placeholder,
    })
  })
})
