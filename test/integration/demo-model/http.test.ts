import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { expect, test, vi } from 'vitest'

import { readEvents } from '../../support/demo-model/read-events.ts'
import { TOOLS } from '../../support/demo-model/small-agent.ts'
import { KEY, spawnModel, startModel } from '../../support/demo-model/start-model.ts'

const post = (url: string, body: unknown, headers: Record<string, string> = { 'x-api-key': KEY }) =>
  fetch(`${url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const ask = (content: string, more: object = {}) => ({
  model: 'any',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
  ...more,
})

test('A streamed reply has the events of the Messages API in their order', async () => {
  await using model = await startModel()
  const body = ask('demo: run ls', { stream: true, tools: TOOLS.glovebox })
  const response = await post(model.url, body)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const { events, content, stopReason } = await readEvents(response)
  const kinds = events.map(({ type }) => type)
  expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(content).toMatchObject([
    { type: 'text', text: 'I run as asked.' },
    { type: 'tool_use', name: 'run_command', input: { command: 'ls' } },
  ])
  expect(stopReason).toBe('tool_use')
  expect(events.at(-2)?.usage?.output_tokens).toBeGreaterThan(1)
})

test('Without stream the same reply is one JSON message', async () => {
  await using model = await startModel()
  const response = await post(model.url, ask('demo: run ls', { tools: TOOLS.claude }))
  expect(await response.json()).toMatchObject({
    type: 'message',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [{ type: 'text' }, { type: 'tool_use', name: 'Bash', input: { command: 'ls' } }],
  })
})

test.for<[string, Record<string, string>, string]>([
  ['no key', {}, 'absent'],
  ['another key', { 'x-api-key': 'sk-other' }, 'mismatch'],
])('A request with %s gets 401 in the provider shape and is logged', async ([, headers, key]) => {
  await using model = await startModel()
  const response = await post(model.url, ask('hello'), headers)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: { type: 'authentication_error', message: 'invalid x-api-key' },
  })
  await vi.waitFor(() => expect(model.logs).toHaveLength(1))
  expect(model.logs[0]).toMatchObject({ key, path: '/v1/messages', status: 401 })
})

test('The log names headers and tells that the key matched, and never shows a value', async () => {
  await using model = await startModel()
  await post(model.url, ask('hello'), { 'x-api-key': KEY, 'x-canary': 'canary-value' })
  await vi.waitFor(() => expect(model.logs).toHaveLength(1))
  expect(model.logs[0]).toMatchObject({ type: 'request', method: 'POST', key: 'match' })
  expect(model.logs[0]).toHaveProperty('headers', expect.arrayContaining(['x-api-key', 'x-canary']))
  expect(JSON.stringify(model.logs)).not.toMatch(/canary-value|sk-test/)
})

test('The model list and the greeting answer as the provider does', async () => {
  await using model = await startModel()
  const hello = await fetch(`${model.url}/api/hello`, { method: 'HEAD' })
  expect(hello.status).toBe(200)
  const list = await fetch(`${model.url}/v1/models`, { headers: { 'x-api-key': KEY } })
  expect(await list.json()).toMatchObject({ data: [{ type: 'model', id: 'glovebox-demo' }] })
  const other = await fetch(`${model.url}/v1/files`, { headers: { 'x-api-key': KEY } })
  expect(other.status).toBe(404)
})

test('An asked-for fault has the status and the type that the provider gives it', async () => {
  await using model = await startModel()
  const response = await post(model.url, ask('demo: error 529'))
  expect(response.status).toBe(529)
  expect(await response.json()).toMatchObject({ error: { type: 'overloaded_error' } })
})

test.for(['{"model":', '{}', '{"model":"m","max_tokens":1,"messages":[]}'])(
  'The bad body %s gets 400 in the provider shape',
  async (body) => {
    await using model = await startModel()
    const response = await post(model.url, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  },
)

test('A client that leaves a slow stream ends it at once, and the log says it was not complete', async () => {
  await using model = await startModel()
  const leave = new AbortController()
  const response = await fetch(`${model.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': KEY },
    body: JSON.stringify(ask('demo: slow', { stream: true })),
    signal: leave.signal,
  })
  const reader = response.body?.getReader()
  await reader?.read()
  leave.abort()
  await vi.waitFor(() => expect(model.logs).toMatchObject([{ complete: false }]))
})

test('A prompt that is no task gets an honest word, and the stop reason asked for', async () => {
  await using model = await startModel()
  const plain = await post(model.url, ask('What is the capital of France?'))
  expect(await plain.text()).toContain('not a language model')
  const refusal = await post(model.url, ask('demo: stop refusal'))
  expect(await refusal.json()).toHaveProperty('stop_reason', 'refusal')
})

test.for([
  [[], 'usage: demo-model'],
  [['--key-file', '/not/there'], 'ENOENT'],
  [['--yolo'], '--yolo'],
] as const)('The program with the arguments %j does not start: %s', async ([argv, words]) => {
  const main = 'container/demo-model/main.ts'
  const started = promisify(execFile)(process.execPath, [main, '--port', '0', ...argv])
  await expect(started).rejects.toMatchObject({ code: 64, stderr: expect.stringContaining(words) })
})

test('The program takes its key from its input, logs on its output, and ends 0 with its input', async () => {
  await using model = await spawnModel()
  const response = await post(model.url, ask('hello'))
  expect(response.status).toBe(200)
  await vi.waitFor(() => expect(model.logs).toMatchObject([{ key: 'match', status: 200 }]))
  model.endInput()
  expect(await model.exited).toEqual([0, null])
})
