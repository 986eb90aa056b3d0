import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

const TOOLS = [
  'read_file',
  'list_files',
  'find_files',
  'search',
  'write_file',
  'edit_file',
  'run_command',
  'update_plan',
  'ask_user',
]

const read = (path: string) => ({ id: path, name: 'read_file', input: { path } })

test('Anthropic: the request has the key, version, tools, cache marks and the results', async () => {
  await using project = await newProject({ 'a.txt': 'x' })
  await using model = await scriptedModel('anthropic')
  model.reply({ calls: [{ id: 'r', name: 'read_file', input: { path: 'a.txt' } }] }, { text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root), 'hi')
  const [first, second] = model.requests
  expect(first?.path).toBe('/v1/messages')
  expect(first?.headers).toMatchObject({
    'x-api-key': 'placeholder-key',
    'anthropic-version': '2023-06-01',
  })
  expect(first?.body).toMatchObject({ model: 'claude-scripted', stream: true, max_tokens: 8192 })
  expect(first?.body['system']).toMatchObject([{ cache_control: { type: 'ephemeral' } }])
  expect(first?.body.tools?.map((tool) => tool.name)).toEqual(TOOLS)
  expect(second?.body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'r', name: 'read_file', input: { path: 'a.txt' } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'r',
          content: [{ type: 'text', text: '1\tx' }],
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
  ])
})

test('OpenAI: the request has the key, functions and the results; thoughts are shown, not sent', async () => {
  await using project = await newProject({ 'a.txt': 'x', 'b.txt': 'y' })
  await using model = await scriptedModel('openai')
  model.reply(
    { thinking: 'Hm.', text: 'Reading.', calls: [read('a.txt'), read('b.txt')] },
    { text: 'ok', usage: { input: 5, cacheRead: 7, output: 3 } },
  )
  await using agent = await startAgent({ model, env: { GLOVEBOX_CONTEXT_WINDOW: '64000' } })
  await agent.prompt(await agent.session(project.root), 'hi')
  const [first, second] = model.requests
  expect(first?.path).toBe('/v1/chat/completions')
  expect(first?.headers['authorization']).toBe('Bearer placeholder-key')
  expect(first?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  expect(first?.body.tools).toMatchObject(
    TOOLS.map((name) => ({ type: 'function', function: { name } })),
  )
  expect(agent.text('agent_thought_chunk')).toBe('Hm.')
  expect(second?.body.messages.slice(1)).toEqual([
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: 'Reading.',
      tool_calls: ['a.txt', 'b.txt'].map((path) => ({
        id: path,
        type: 'function',
        function: { name: 'read_file', arguments: JSON.stringify({ path }) },
      })),
    },
    { role: 'tool', tool_call_id: 'a.txt', content: '1\tx' },
    { role: 'tool', tool_call_id: 'b.txt', content: '1\ty' },
  ])
  expect(agent.updates.map(({ update }) => update)).toContainEqual({
    sessionUpdate: 'usage_update',
    used: 15,
    size: 64_000,
  })
})

test('OpenAI Responses: nothing is stored there, and the sealed reasoning goes back with the calls', async () => {
  await using project = await newProject({ 'a.txt': 'x' })
  await using model = await scriptedModel('responses')
  model.reply({ thinking: 'Hm.', text: 'Reading.', calls: [read('a.txt')] }, { text: 'ok' })
  await using agent = await startAgent({ model, env: { GLOVEBOX_MODEL: 'gpt-5-scripted' } })
  await agent.prompt(await agent.session(project.root), 'hi')
  const [first, second] = model.requests
  expect(first?.path).toBe('/v1/responses')
  expect(first?.body).toMatchObject({
    store: false,
    reasoning: { effort: 'medium' },
    include: ['reasoning.encrypted_content'],
  })
  expect(first?.body.tools?.map((tool) => tool.name)).toEqual(TOOLS)
  expect(agent.text('agent_thought_chunk')).toBe('Hm.')
  expect(second?.body['input']).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'sealed',
    },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Reading.' }] },
    {
      type: 'function_call',
      call_id: 'a.txt',
      name: 'read_file',
      arguments: '{"path":"a.txt"}',
    },
    { type: 'function_call_output', call_id: 'a.txt', output: '1\tx' },
  ])
})

test('commands do not see the agent’s own settings', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply(
    { calls: [{ name: 'run_command', input: { command: 'env > env.txt' } }] },
    { text: 'ok' },
  )
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root, 'build'), 'hi')
  const seen = await project.read('env.txt')
  expect(seen).toContain('PATH=')
  expect(seen).not.toContain('GLOVEBOX_')
})
