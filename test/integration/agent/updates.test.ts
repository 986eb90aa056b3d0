import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import type { AgentOptions } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel, toolResults } from '../../support/agent/scripted-model.ts'
import type { ScriptedReply } from '../../support/agent/scripted-model.ts'

/** Runs one turn of the given calls in the given project; the model then says it is done. */
async function turnOf(
  calls: NonNullable<ScriptedReply['calls']>,
  files: Record<string, string> = {},
  options: AgentOptions & { mode?: string } = {},
) {
  const project = await newProject(files)
  const model = await scriptedModel()
  model.reply({ calls }, { text: 'done' })
  const agent = await startAgent({ model, ...options })
  const stack = new AsyncDisposableStack()
  for (const used of [project, model, agent]) stack.use(used)
  const sessionId = await agent.session(project.root, options.mode ?? 'accept-edits')
  const answer = await agent.prompt(sessionId, 'go')
  const results = () => toolResults(model.requests.at(-1))
  return {
    project,
    model,
    agent,
    answer,
    results,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('[update.text] [update.thought] [update.messageid] text and thoughts come in order, with one id for each message', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply(
    { thinking: 'Hm, a list.', text: 'Looking now.', calls: [{ name: 'list_files', input: {} }] },
    { text: 'All done.' },
  )
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root), 'hi')
  expect(agent.text('agent_thought_chunk')).toBe('Hm, a list.')
  expect(agent.text('agent_message_chunk')).toBe('Looking now.All done.')
  const ids = agent.updates.flatMap(({ update }) =>
    update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'agent_thought_chunk'
      ? [update.messageId]
      : [],
  )
  expect(ids).toHaveLength(6)
  const [thought, , message, , next] = ids
  expect(new Set([thought, message, next]).size).toBe(3)
  expect(ids).toEqual([thought, thought, message, message, next, next])
  expect(model.requests[1]?.body.messages[1]?.content).toMatchObject([
    { type: 'thinking', thinking: 'Hm, a list.', signature: 'sealed' },
    { type: 'text', text: 'Looking now.' },
    { type: 'tool_use', id: 'call-1', name: 'list_files' },
  ])
})

test('[update.toolcall] a call is pending with everything known, then in progress, then completed', async () => {
  await using turn = await turnOf(
    [{ id: 'r', name: 'read_file', input: { path: 'a.txt', offset: 2 } }],
    { 'a.txt': 'one\ntwo\nthree\n' },
  )
  expect(turn.agent.call('r')).toEqual([
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'r',
      title: 'Read a.txt',
      kind: 'read',
      status: 'pending',
      locations: [{ path: turn.project.path('a.txt'), line: 2 }],
      content: [],
      rawInput: { path: 'a.txt', offset: 2 },
    },
    { sessionUpdate: 'tool_call_update', toolCallId: 'r', status: 'in_progress' },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'r',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: '2\ttwo\n3\tthree' } }],
      rawOutput: { firstLine: 2, lines: 2, more: false },
    },
  ])
  expect(turn.results()).toEqual([{ id: 'r', text: '2\ttwo\n3\tthree', failed: false }])
})

test.for([
  ['read_file', { path: 'a.txt' }, 'read', 'Read a.txt'],
  ['list_files', { path: 'src' }, 'read', 'Read src'],
  ['search', { pattern: 'a+\nb' }, 'search', 'Search a+ ↵ b'],
  ['write_file', { path: 'b.txt', content: 'b' }, 'edit', 'Write b.txt'],
  ['edit_file', { path: 'a.txt', old_text: 'x', new_text: 'y' }, 'edit', 'Edit a.txt'],
  ['run_command', { command: 'echo \u202ehi\necho 2' }, 'execute', '$ echo \\u{202e}hi ↵ echo 2'],
  ['update_plan', { entries: [] }, 'think', 'Update the plan'],
  ['no_such_tool', {}, 'other', 'no_such_tool'],
] as const)(
  '[update.kinds] [update.titles] [update.visible] a call of %s with %j has kind %s and title %s',
  async ([name, input, kind, title]) => {
    await using turn = await turnOf([{ id: 'c', name, input }], { 'a.txt': 'x', 'src/b.ts': '' })
    expect(turn.agent.call('c')[0]).toMatchObject({ kind, title, status: 'pending' })
  },
)

test('[update.diff] an edit shows a diff with the old text, and a new file one without', async () => {
  await using turn = await turnOf(
    [
      { id: 'e', name: 'edit_file', input: { path: 'a.txt', old_text: 'two', new_text: '2' } },
      { id: 'w', name: 'write_file', input: { path: 'new.txt', content: 'fresh' } },
    ],
    { 'a.txt': 'one\ntwo\n' },
  )
  const path = turn.project.path('a.txt')
  expect(turn.agent.call('e').slice(1)).toMatchObject([
    { status: 'in_progress', locations: [{ path, line: 2 }] },
    {
      status: 'completed',
      content: [{ type: 'diff', path, oldText: 'one\ntwo\n', newText: 'one\n2\n' }],
    },
  ])
  expect(turn.agent.call('w').at(-1)?.content).toEqual([
    { type: 'diff', path: turn.project.path('new.txt'), oldText: null, newText: 'fresh' },
  ])
})

test('[update.diff] a diff of more than 1 MB, old and new together, is shown as a short text only', async () => {
  const old = 'a'.repeat(600_000)
  await using turn = await turnOf(
    [{ id: 'w', name: 'write_file', input: { path: 'big', content: `b${old}` } }],
    { big: old },
  )
  const content = turn.agent.call('w').at(-1)?.content ?? []
  expect(content.map((piece) => piece.type)).toEqual(['content'])
  expect(JSON.stringify(content).length).toBeLessThan(5_000)
})

test('[update.toolcall] a command’s output comes while it runs, and its exit code at the end', async () => {
  await using turn = await turnOf([
    { id: 'c', name: 'run_command', input: { command: 'echo one; sleep 0.3; echo two; exit 3' } },
  ])
  const states = turn.agent.call('c')
  const texts = states.map((state) => JSON.stringify(state.content ?? ''))
  expect(texts.some((text) => text.includes('one') && !text.includes('two'))).toBe(true)
  expect(states.at(-1)).toMatchObject({
    status: 'failed',
    content: [{ content: { text: 'one\ntwo\nExit code 3.' } }],
    rawOutput: { exitCode: 3, signal: null, timedOut: false },
  })
  expect(turn.results()).toEqual([{ id: 'c', text: 'one\ntwo\nExit code 3.', failed: true }])
})

test('[update.terminal] a client with terminal cards gets the command as one, fed and closed by _meta', async () => {
  await using turn = await turnOf(
    [
      {
        id: 'c',
        name: 'run_command',
        input: { command: 'printf "\\033[1mone\\n"; sleep 0.2; exit 3' },
      },
    ],
    {},
    { capabilities: { _meta: { terminal_output: true } } },
  )
  const states = turn.agent.call('c')
  expect(states[0]).toMatchObject({
    content: [{ type: 'terminal', terminalId: 'c' }],
    _meta: { terminal_info: { terminal_id: 'c', cwd: turn.project.root } },
  })
  const output = states.flatMap((state) => state['_meta']?.['terminal_output'] ?? [])
  expect(output).toEqual([{ terminal_id: 'c', data: '\u001b[1mone\n' }])
  expect(states.at(-1)).toMatchObject({
    status: 'failed',
    content: [{ type: 'terminal', terminalId: 'c' }],
    _meta: { terminal_exit: { terminal_id: 'c', exit_code: 3, signal: null } },
  })
})

test('[update.terminal] without terminal cards there is no _meta, and terminal codes are taken out', async () => {
  await using turn = await turnOf([
    { id: 'c', name: 'run_command', input: { command: 'printf "\\033[1mone\\a\\n"' } },
  ])
  const states = turn.agent.call('c')
  expect(states.every((state) => state['_meta'] === undefined)).toBe(true)
  expect(JSON.stringify(states.at(-1)?.content)).toContain(String.raw`"one\\u{7}\nExit code 0."`)
})

test('[update.plan] the plan is sent whole each time', async () => {
  const entries = [
    { content: 'Look', status: 'completed', priority: 'high' },
    { content: 'Fix', status: 'in_progress' },
  ]
  await using turn = await turnOf([{ name: 'update_plan', input: { entries } }])
  expect(turn.agent.updates.map(({ update }) => update)).toContainEqual({
    sessionUpdate: 'plan',
    entries: [entries[0], { ...entries[1], priority: 'medium' }],
  })
})

test('[update.usage] usage follows each response of the model', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply(
    {
      calls: [{ name: 'list_files', input: {} }],
      usage: { input: 100, cacheRead: 900, output: 50 },
    },
    { text: 'ok', usage: { input: 200, cacheRead: 1_000, output: 7 } },
  )
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root), 'hi')
  const usage = agent.updates.flatMap(({ update }) =>
    update.sessionUpdate === 'usage_update' ? [{ used: update.used, size: update.size }] : [],
  )
  expect(usage).toEqual([
    { used: 1_050, size: 200_000 },
    { used: 1_207, size: 200_000 },
  ])
})

test('[update.order] nothing of a turn comes after its response', async () => {
  await using turn = await turnOf([{ name: 'run_command', input: { command: 'seq 1 50000' } }])
  const count = turn.agent.frames.length
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(turn.agent.frames).toHaveLength(count)
  expect(turn.agent.frames.at(-1)).toMatchObject({ result: { stopReason: 'end_turn' } })
})

test('[turn.parallel] the results keep the calls’ order', async () => {
  const calls = ['a', 'b', 'c'].map((name) => ({
    id: name,
    name: 'read_file',
    input: { path: name },
  }))
  await using turn = await turnOf(calls, { a: '1\n'.repeat(2_000), b: '2', c: '3' })
  expect(turn.results().map((result) => result.text.slice(-3))).toEqual(['0\t1', '1\t2', '1\t3'])
})

test.for([
  [{ name: 'teleport', input: {} }, /There is no tool "teleport"\. The tools: read_file, /],
  [{ name: 'read_file', input: { file: 'a' } }, /The input does not fit read_file: path: /],
  [{ name: 'read_file', input: {}, notJson: '{"path": ' }, /was not JSON: \{"path": /],
  [{ name: 'read_file', input: { path: 'none.txt' } }, /^none\.txt does not exist\.$/],
] as const)(
  '[turn.unknown] [turn.validate] the call %j is a failed result the model can read',
  async ([call, words]) => {
    await using turn = await turnOf([{ id: 'c', ...call }])
    expect(turn.answer).toEqual({ stopReason: 'end_turn' })
    expect(turn.results()).toEqual([{ id: 'c', text: expect.stringMatching(words), failed: true }])
    expect(turn.agent.call('c').map((state) => state.status)).toContain('failed')
  },
)

test('[update.toolcall] a model that counts its calls anew in each reply gets entries of their own', async () => {
  await using project = await newProject({ a: '1', b: '2' })
  await using model = await scriptedModel('openai')
  const read = (path: string) => ({ calls: [{ id: 'call_0', name: 'read_file', input: { path } }] })
  model.reply(read('a'), read('b'), { text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root), 'go')
  expect(agent.call('call_0')).toHaveLength(3)
  expect(agent.call('call_0-2').at(-1)).toMatchObject({ status: 'completed' })
  expect(toolResults(model.requests[2]).map(({ id, text }) => [id, text])).toEqual([
    ['call_0', '1\t1'],
    ['call_0-2', '1\t2'],
  ])
})
