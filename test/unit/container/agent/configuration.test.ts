import { expect, test } from 'vitest'

import { readConfiguration } from '../../../../container/agent/configuration.ts'

const COMPLETE = {
  GLOVEBOX_PROVIDER: 'openai',
  GLOVEBOX_MODEL: 'gpt-5',
  GLOVEBOX_BASE_URL: 'http://127.0.0.1:3129/openai/',
  GLOVEBOX_API_KEY: 'placeholder',
}

test('a complete environment is a configuration, without the address’s last slash', () => {
  expect(readConfiguration(COMPLETE)).toEqual({
    provider: 'openai',
    model: 'gpt-5',
    models: ['gpt-5'],
    openAiApi: 'chat',
    baseUrl: 'http://127.0.0.1:3129/openai',
    apiKey: 'placeholder',
    contextWindow: undefined,
    costLimit: undefined,
  })
})

test.for([
  ['GLOVEBOX_PROVIDER', 'gemini'],
  ['GLOVEBOX_BASE_URL', 'ftp://host'],
  ['GLOVEBOX_BASE_URL', 'nonsense'],
  ['GLOVEBOX_CONTEXT_WINDOW', 'many'],
  ['GLOVEBOX_COST_LIMIT', 'little'],
  ['GLOVEBOX_OPENAI_API', 'rest'],
] as const)('%s=%s is refused by name', ([name, value]) => {
  expect(() => readConfiguration({ ...COMPLETE, [name]: value })).toThrow(
    expect.objectContaining({ code: 'internal', message: expect.stringContaining(name) }),
  )
})

test('a blank value is a missing one', () => {
  expect(() => readConfiguration({ ...COMPLETE, GLOVEBOX_MODEL: '  ' })).toThrow(
    expect.objectContaining({ code: 'auth_required' }),
  )
})

test('more models are named after the default, each once', () => {
  const models = readConfiguration({ ...COMPLETE, GLOVEBOX_MODELS: 'a, gpt-5,b,,a' }).models
  expect(models).toEqual(['gpt-5', 'a', 'b'])
})
