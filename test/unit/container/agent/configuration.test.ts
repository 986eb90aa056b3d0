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
    baseUrl: 'http://127.0.0.1:3129/openai',
    apiKey: 'placeholder',
    contextWindow: undefined,
  })
})

test.for([
  ['GLOVEBOX_PROVIDER', 'gemini'],
  ['GLOVEBOX_BASE_URL', 'ftp://host'],
  ['GLOVEBOX_BASE_URL', 'nonsense'],
  ['GLOVEBOX_CONTEXT_WINDOW', 'many'],
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
