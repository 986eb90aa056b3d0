import { expect, test } from 'vitest'

import { anthropicModel } from '../../../../../container/agent/model/anthropic.ts'
import { openAiChatModel } from '../../../../../container/agent/model/openai-chat.ts'

const options = { baseUrl: 'http://127.0.0.1', apiKey: '', contextWindow: 1 }

test.for([
  ['claude-sonnet-4-5', ['off', 'low', 'medium', 'high']],
  ['claude-3-7-sonnet-latest', ['off', 'low', 'medium', 'high']],
  ['claude-3-5-haiku-latest', []],
] as const)('%s knows the efforts %j', ([model, efforts]) => {
  expect(anthropicModel({ ...options, model }).efforts).toEqual(efforts)
})

test.for([
  ['gpt-5', ['low', 'medium', 'high']],
  ['o4-mini', ['low', 'medium', 'high']],
  ['gpt-4o', []],
  ['qwen3', []],
] as const)('%s knows the efforts %j', ([model, efforts]) => {
  expect(openAiChatModel({ ...options, model }).efforts).toEqual(efforts)
})
