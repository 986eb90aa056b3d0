import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel, toolResults } from '../../support/agent/scripted-model.ts'
import type { Dialect } from '../../support/agent/scripted-model.ts'

const DIALECTS = ['anthropic', 'openai', 'responses'] as const satisfies Dialect[]

const LIMITS = {
  anthropic: 'max_tokens',
  openai: 'max_completion_tokens',
  responses: 'max_output_tokens',
}

test.for(DIALECTS)('[stop.end_turn] %s: a finished answer ends the turn', async (dialect) => {
  await using project = await newProject()
  await using model = await scriptedModel(dialect)
  model.reply({ text: 'Hello' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
  expect(agent.text('agent_message_chunk')).toBe('Hello')
})

test.for(DIALECTS)(
  '[stop.max_tokens] [turn.continue] %s: an answer cut off at the output limit is continued 3 times with a raised limit',
  async (dialect) => {
    await using project = await newProject()
    await using model = await scriptedModel(dialect)
    for (const text of ['one ', 'two ', 'three ', 'four '])
      model.reply({ text, stop: 'max-tokens' })
    await using agent = await startAgent({ model })
    const sessionId = await agent.session(project.root)
    expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'max_tokens' })
    expect(agent.text('agent_message_chunk')).toBe('one two three four ')
    expect(model.requests).toHaveLength(4)
    const limit = LIMITS[dialect]
    expect(model.requests.slice(1).map((request) => request.body[limit])).toEqual([
      32_000, 32_000, 32_000,
    ])
    expect(model.requests[3]?.heard).toMatch(/one .*two .*three /)
  },
)

test('a call that was cut off with the answer is not run', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const cut = { name: 'write_file', input: {}, notJson: '{"path": "a", "cont' }
  model.reply({ text: 'so', calls: [cut], stop: 'max-tokens' }, { text: 'done' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'accept-edits')
  expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
  expect(JSON.stringify(agent.updates)).not.toContain('tool_call')
})

test.for(DIALECTS)(
  '[stop.refusal] %s: a refusal is one, and neither it nor its prompt is sent again',
  async (dialect) => {
    await using project = await newProject()
    await using model = await scriptedModel(dialect)
    model.reply({ text: 'No.', stop: 'refusal' }, { text: 'Sure' })
    await using agent = await startAgent({ model })
    const sessionId = await agent.session(project.root)
    expect(await agent.prompt(sessionId, 'something bad')).toEqual({ stopReason: 'refusal' })
    expect(await agent.prompt(sessionId, 'something good')).toEqual({ stopReason: 'end_turn' })
    expect(model.requests[1]?.heard).not.toContain('something bad')
  },
)

test('[stop.max_turn_requests] 50 steps end the turn with max_turn_requests and a line that says so', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  for (let step = 1; step <= 50; step++)
    model.reply({ calls: [{ id: `c${step}`, name: 'read_file', input: { path: `no-${step}` } }] })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'max_turn_requests' })
  expect(model.requests).toHaveLength(50)
  expect(agent.text('agent_message_chunk')).toBe('Glovebox: The turn stopped after 50 steps.\n')
})

test('[stop.max_turn_requests] 20 million tokens end the turn with max_turn_requests', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const usage = { input: 19_999_000, cacheRead: 999, output: 1 }
  model.reply({ calls: [{ name: 'list_files', input: {} }], usage })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'max_turn_requests' })
})

test('[stop.max_turn_requests] the third identical call in a row is not run and ends the turn', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const input = { command: 'echo x >> count' }
  for (const id of ['1', '2', '3']) model.reply({ calls: [{ id, name: 'run_command', input }] })
  model.reply({ text: 'ok' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'build')
  expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'max_turn_requests' })
  expect(await project.read('count')).toBe('x\nx\n')
  await agent.prompt(sessionId, 'go on')
  expect(toolResults(model.requests[3]).at(-1)).toEqual({
    id: '3',
    text: 'Not run: the turn ended.',
    failed: true,
  })
})

test('[turn.pause] a pause of the provider’s own tools goes straight on', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ text: 'one ', stop: 'pause' }, { text: 'two' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
  expect(agent.text('agent_message_chunk')).toBe('one two')
})

test.for([
  [
    400,
    { error: { type: 'invalid_request_error', message: 'model: not \u202eknown' } },
    -32_603,
    String.raw`The model provider answered 400: model: not \u{202e}known.`,
  ],
  [
    404,
    { error: 'model "x" not found' },
    -32_603,
    'The model provider answered 404: model "x" not found.',
  ],
  [
    401,
    { error: { message: 'bad key placeholder-key' } },
    -32_000,
    'The model provider answered 401: bad key ***.',
  ],
  [403, '<html>a page</html>', -32_603, 'The model provider answered 403.'],
] as const)(
  '[stop.error] a refusal by the provider (%i) is a JSON-RPC error with its sentence',
  async ([status, body, code, message]) => {
    await using project = await newProject()
    await using model = await scriptedModel()
    model.refuse(status, body).reply({ text: 'ok' })
    await using agent = await startAgent({ model })
    const sessionId = await agent.session(project.root)
    const failed = await agent.prompt(sessionId, 'hi').catch((error: unknown) => error)
    expect(failed).toMatchObject({ code, message })
    expect(JSON.stringify(agent.frames)).not.toContain('    at ')
    expect(await agent.prompt(sessionId, 'again')).toEqual({ stopReason: 'end_turn' })
  },
)

test('[stop.error] a refusal by the border says the border’s reason', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.refuse(403, 'denied', { 'x-egress-reason': 'no rule allows it' })
  await using agent = await startAgent({ model })
  await expect(agent.prompt(await agent.session(project.root), 'hi')).rejects.toMatchObject({
    message: 'The model provider answered 403: the border refused the request (no rule allows it).',
  })
})
