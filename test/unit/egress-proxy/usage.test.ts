import { expect, test } from 'vitest'

import { createUsageObserver } from '../../../egress-proxy/usage.ts'

const EVENTS = ['content-type', 'text/event-stream; charset=utf-8']

function usageOf(headers: string[], text: string, size = 7, status = 200) {
  const observer = createUsageObserver()
  observer.start(status, headers)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) observer.chunk(bytes.subarray(at, at + size))
  return observer.end()
}

const event = (value: object) => `event: x\ndata: ${JSON.stringify(value)}\n\n`

test('an Anthropic stream gives the last running totals, cut anywhere', () => {
  const text =
    event({ type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } }) +
    event({ type: 'content_block_delta', delta: { text: 'é “usage”: 99' } }) +
    event({ type: 'message_delta', usage: { output_tokens: 34 } })
  for (const size of [1, 3, 1000]) {
    expect(usageOf(EVENTS, text, size)).toEqual({ input_tokens: 12, output_tokens: 34 })
  }
})

test('OpenAI streams give theirs: chat completions and responses', () => {
  const chat =
    event({ usage: null }) +
    event({ usage: { prompt_tokens: 5, completion_tokens: 6 } }) +
    'data: [DONE]\n\n'
  expect(usageOf(EVENTS, chat)).toEqual({ input_tokens: 5, output_tokens: 6 })
  const responses = event({
    type: 'response.completed',
    response: { usage: { input_tokens: 7, output_tokens: 8 } },
  })
  expect(usageOf(EVENTS, responses)).toEqual({ input_tokens: 7, output_tokens: 8 })
})

test('a Gemini stream gives its last totals: prompts of tools and thoughts count too', () => {
  const first = { candidates: [], usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 } }
  const usageMetadata = {
    promptTokenCount: 7,
    toolUsePromptTokenCount: 1,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 4,
    totalTokenCount: 32,
  }
  const last = { candidates: [{ content: { parts: [{ text: 'usage' }] } }], usageMetadata }
  const totals = { input_tokens: 8, output_tokens: 24 }
  expect(usageOf(EVENTS, event(first) + event(last))).toEqual(totals)
  const JSON_TYPE = ['content-type', 'application/json; charset=UTF-8']
  expect(usageOf(JSON_TYPE, JSON.stringify(last))).toEqual(totals)
  expect(usageOf(JSON_TYPE, JSON.stringify([first, last]))).toEqual(totals)
  expect(usageOf(JSON_TYPE, JSON.stringify([]))).toBeUndefined()
})

test('a JSON answer gives its totals', () => {
  const body = JSON.stringify(
    { content: [], usage: { input_tokens: 1, output_tokens: 2 } },
    undefined,
    2,
  )
  expect(usageOf(['Content-Type', 'application/json'], body)).toEqual({
    input_tokens: 1,
    output_tokens: 2,
  })
})

test('what a model writes about usage is not counted', () => {
  const text = event({
    type: 'content_block_start',
    content_block: { input: { usage: { input_tokens: 9 } } },
  })
  expect(usageOf(EVENTS, text)).toBeUndefined()
  expect(usageOf(EVENTS, event({ usage: { input_tokens: -1, output_tokens: 'x' } }))).toEqual({})
})

test('errors, other types and oversized lines give none', () => {
  const text = event({ usage: { input_tokens: 1 } })
  expect(usageOf(EVENTS, text, 7, 500)).toBeUndefined()
  expect(usageOf(['content-type', 'text/html'], text)).toBeUndefined()
  const long = `data: ${'x'.repeat(1_100_000)}"usage"\n\n`
  expect(usageOf(EVENTS, long + text, 65_536)).toEqual({ input_tokens: 1 })
})
