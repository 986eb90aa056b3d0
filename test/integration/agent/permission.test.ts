import type { ToolCallContent } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel, toolResults } from '../../support/agent/scripted-model.ts'

const write = (content: string, path = 'a.txt') => ({
  id: 'w',
  name: 'write_file',
  input: { path, content },
})
const command = (line: string, id = 'c') => ({ id, name: 'run_command', input: { command: line } })

test('[perm.callid] [perm.options] a question names its own call, shows the diff, and offers the four options', async () => {
  await using project = await newProject({ 'a.txt': 'old' })
  await using model = await scriptedModel()
  model.reply({ calls: [write('new')] }, { text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root), 'go')
  expect(agent.questions).toHaveLength(1)
  const [question] = agent.questions
  expect(question?.toolCall).toMatchObject({
    toolCallId: 'w',
    title: 'Write a.txt',
    kind: 'edit',
    locations: [{ path: project.path('a.txt') }],
    rawInput: { path: 'a.txt', content: 'new' },
  })
  expect(question?.toolCall.content).toEqual([
    { type: 'diff', path: project.path('a.txt'), oldText: 'old', newText: 'new' },
    text('“For this session” means: write_file(a.txt)'),
  ])
  expect(question?.options).toEqual([
    { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'allow-always', name: 'Allow for this session', kind: 'allow_always' },
    { optionId: 'reject-once', name: 'Deny', kind: 'reject_once' },
    { optionId: 'reject-always', name: 'Deny for this session', kind: 'reject_always' },
  ])
  expect(await project.read('a.txt')).toBe('new')
  const order = agent.frames.map((frame) => frame.method ?? 'response')
  const statuses = agent.call('w').map((state) => state.status)
  expect(statuses).toEqual(['pending', 'in_progress', 'completed'])
  expect(order.indexOf('session/request_permission')).toBeGreaterThan(
    order.indexOf('session/update'),
  )
})

test.for(['reject-once', 'cancelled', 'sudo'])(
  '[perm.failclosed] [perm.reason] [update.denied] the answer %s denies: nothing is written, the call failed, and the model hears why',
  async (answer) => {
    await using project = await newProject({ 'a.txt': 'old' })
    await using model = await scriptedModel()
    model.reply({ calls: [write('new')] }, { text: 'ok' })
    await using agent = await startAgent({ model, permission: () => answer })
    expect(await agent.prompt(await agent.session(project.root), 'go')).toEqual({
      stopReason: 'end_turn',
    })
    expect(await project.read('a.txt')).toBe('old')
    const reason = expect.stringMatching(
      /^Permission denied: (the user said no|the (question|answer) was )/,
    )
    expect(toolResults(model.requests[1])).toEqual([{ id: 'w', text: reason, failed: true }])
    expect(agent.call('w').map((state) => state.status)).toEqual(['pending', 'failed'])
    expect(agent.call('w').at(-1)?.content).toMatchObject([{ content: { text: reason } }])
  },
)

test('[perm.failclosed] a question that the client answers with an error is a denial', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [write('new')] }, { text: 'ok' })
  await using agent = await startAgent({
    model,
    permission: () => {
      throw new Error('no dialog here')
    },
  })
  await agent.prompt(await agent.session(project.root), 'go')
  expect(toolResults(model.requests[1])[0]).toMatchObject({
    text: 'Permission denied: the question could not be answered.',
    failed: true,
  })
})

test('[perm.options] “allow for this session” holds for just that command, in that session', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply(
    { calls: [command('echo a', '1')] },
    { calls: [command('echo a', '2')] },
    { calls: [command('echo a && echo b', '3')] },
    { text: 'ok' },
    { calls: [command('echo a', '4')] },
    { text: 'ok' },
  )
  await using agent = await startAgent({ model, permission: () => 'allow-always' })
  await agent.prompt(await agent.session(project.root), 'go')
  await agent.prompt(await agent.session(project.root), 'go')
  expect(agent.questions.map(({ toolCall }) => toolCall.toolCallId)).toEqual(['1', '3', '4'])
})

test('[perm.options] “deny for this session” denies the same again without a question', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply(
    { calls: [command('rm -r x', '1')] },
    { calls: [command('echo ok; rm -r x', '2')] },
    { text: 'ok' },
  )
  await using agent = await startAgent({ model, permission: () => 'reject-always' })
  await agent.prompt(await agent.session(project.root), 'go')
  expect(agent.questions).toHaveLength(1)
  expect(toolResults(model.requests[2]).at(-1)?.text).toBe(
    'Permission denied: the rule run_command(rm -r x) denies it.',
  )
})

test('[update.visible] a command that looks like another one is shown as it is, with a warning', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [command('echo \u202e\u200bevil')] }, { text: 'ok' })
  await using agent = await startAgent({ model, permission: () => 'reject-once' })
  await agent.prompt(await agent.session(project.root), 'go')
  const [question] = agent.questions
  expect(question?.toolCall.title).toBe(String.raw`$ echo \u{202e}\u{200b}evil`)
  expect(question?.toolCall.content).toEqual([
    text(expect.stringMatching(/^Warning: .*hidden/)),
    text(String.raw`$ echo \u{202e}\u{200b}evil`),
    text(String.raw`“For this session” means: run_command(echo \u{202e}\u{200b}evil)`),
  ])
})

test.for([
  ['ask', ['w', 'c']],
  ['build', ['w']],
  ['accept-edits', []],
  ['plan', []],
] as const)('[perm.order] in mode %s the questions are %j', async ([mode, asked]) => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [write('new'), command('echo hi > made')] }, { text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root, mode), 'go')
  expect(agent.questions.map(({ toolCall }) => toolCall.toolCallId)).toEqual(asked)
  const failed = toolResults(model.requests[1]).map((result) => result.failed)
  expect(failed).toEqual(mode === 'plan' ? [true, true] : [false, false])
  const made = await project.read('made').catch(() => 'nothing')
  expect(made).toBe(mode === 'plan' ? 'nothing' : 'hi\n')
})

test.for([
  ['write_file', { path: '../outside.txt', content: 'x' }, 'it is outside the project'],
  ['write_file', { path: '/tmp/outside.txt', content: 'x' }, 'it is outside the project'],
  ['write_file', { path: '.git/hooks/pre-commit', content: 'x' }, 'it is in a .git folder'],
  ['read_file', { path: '.env' }, 'the file may hold secrets'],
  ['read_file', { path: 'link-to-env' }, 'the file may hold secrets'],
  ['edit_file', { path: 'link-out/x', old_text: 'a', new_text: 'b' }, 'it is outside the project'],
] as const)('[perm.order] %s of %j is denied in every mode: %s', async ([name, input, reason]) => {
  await using project = await newProject({ '.env': 'KEY=1' })
  await using outside = await newProject({ x: 'a' })
  const { symlink } = await import('node:fs/promises')
  await symlink('.env', project.path('link-to-env'))
  await symlink(outside.root, project.path('link-out'))
  await using model = await scriptedModel()
  model.reply({ calls: [{ id: 'c', name, input }] }, { text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root, 'accept-edits'), 'go')
  expect(agent.questions).toEqual([])
  const [result] = toolResults(model.requests[1])
  expect(result?.failed).toBe(true)
  expect(result?.text).toContain(`Permission denied: ${reason}`)
  expect(await outside.read('x')).toBe('a')
})

test('a file that changes while the question is open is not written over', async () => {
  await using project = await newProject({ 'a.txt': 'old' })
  await using model = await scriptedModel()
  model.reply({ calls: [write('new')] }, { text: 'ok' })
  await using agent = await startAgent({
    model,
    permission: async () => {
      await project.write('a.txt', 'the user’s own')
      return 'allow-once'
    },
  })
  await agent.prompt(await agent.session(project.root), 'go')
  expect(await project.read('a.txt')).toBe('the user’s own')
  expect(toolResults(model.requests[1])[0]?.text).toContain('changed while the question was open')
})

test('[mode.list] a mode that does not exist is refused, and a mode that does is not echoed', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'plan')
  const request = agent.agent.request('session/set_mode', { sessionId, modeId: 'yolo' })
  await expect(request).rejects.toMatchObject({
    code: -32_602,
    message: 'There is no mode "yolo".',
  })
  expect(agent.updates).toEqual([])
})

test('[mode.list] a mode set in mid-turn applies from the next turn', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply(
    { calls: [command('echo 1', '1')] },
    { calls: [command('echo 2', '2')] },
    { text: 'ok' },
    { calls: [command('echo 3', '3')] },
    { text: 'ok' },
  )
  await using agent = await startAgent({
    model,
    permission: async ({ sessionId }) => {
      await agent.agent.request('session/set_mode', { sessionId, modeId: 'build' })
      return 'allow-once'
    },
  })
  const sessionId = await agent.session(project.root)
  await agent.prompt(sessionId, 'go')
  expect(agent.questions).toHaveLength(2)
  await agent.prompt(sessionId, 'go')
  expect(agent.questions).toHaveLength(2)
})

function text(content: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: content } }
}
