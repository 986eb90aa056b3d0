import { describe, expect, test } from 'vitest'

import { loadProfile } from '../../../src/agents/profile.ts'
import { mergePolicy } from '../../../src/policy/merge.ts'
import { chooseModel } from '../../../src/session/model-choice.ts'

const keys = {
  ANTHROPIC_API_KEY: 'anthropic-key',
  OPENAI_API_KEY: 'openai-key',
  GEMINI_API_KEY: 'gemini-key',
}
const policy = mergePolicy({})

describe('chooseModel', () => {
  test.for([
    ['claude', 'anthropic', 'x-api-key', 'anthropic-key'],
    ['codex', 'openai', 'authorization', 'Bearer openai-key'],
    ['gemini', 'gemini', 'x-goog-api-key', 'gemini-key'],
  ] as const)('%s goes to %s, with the key in %s', ([agent, id, header, value]) => {
    const { route, placeholder } = chooseModel(policy, loadProfile(agent), keys)
    expect(route).toMatchObject({ id, preset: id, credential: { header, value } })
    expect(Object.values(keys)).not.toContain(placeholder)
  })

  test.for([
    ['claude', /^sk-ant-api03-[\w-]{40,}$/],
    ['codex', /^sk-[\w-]{20,}$/],
    ['gemini', /^AIza[\w-]{35}$/],
  ] as const)('%s gets a placeholder of the shape it expects', ([agent, shape]) => {
    expect(chooseModel(policy, loadProfile(agent), keys).placeholder).toMatch(shape)
  })

  test('of several providers, the first one that has a key is taken', () => {
    const { OPENAI_API_KEY } = keys
    const { route, model } = chooseModel(policy, loadProfile('opencode'), { OPENAI_API_KEY })
    expect([route.id, model]).toEqual(['openai', 'gpt-5'])
  })

  test('a key of a provider that the agent does not speak is no key', () => {
    const { OPENAI_API_KEY } = keys
    const choose = () => chooseModel(policy, loadProfile('gemini'), { OPENAI_API_KEY })
    expect(choose).toThrow(expect.objectContaining({ code: 'credential_missing' }))
  })

  test('a provider of the configuration that the agent does not speak is refused', () => {
    const wrong = mergePolicy({ user: { version: 1, provider: 'anthropic' } })
    const choose = () => chooseModel(wrong, loadProfile('codex'), keys)
    expect(choose).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})
