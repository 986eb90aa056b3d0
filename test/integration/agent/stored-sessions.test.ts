import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import type { AgentOptions, AgentProcess } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import type { Project } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'
import type { ScriptedModel } from '../../support/agent/scripted-model.ts'

/** A project, a model and a home that outlive the agents of a test. */
async function workshop(files: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const project = stack.use(await newProject(files))
  const home = stack.use(await newProject())
  const model = stack.use(await scriptedModel())
  const start = (options: AgentOptions = {}) => startAgent({ model, home: home.root, ...options })
  const folder = path.join(home.root, '.local/state/glovebox-agent')
  return { project, model, start, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** A session with one turn: a thought, a text, a call that read, an edit, a plan, a last word. */
async function storedSession(
  agent: AgentProcess,
  { model, project }: { model: ScriptedModel; project: Project },
): Promise<string> {
  model.reply(
    {
      thinking: 'Hm.',
      text: 'Let me see.',
      calls: [
        { id: 'r', name: 'read_file', input: { path: 'a.txt' } },
        { id: 'e', name: 'edit_file', input: { path: 'a.txt', old_text: 'x', new_text: 'y' } },
        { id: 'p', name: 'update_plan', input: { entries: [{ content: 'A', status: 'pending' }] } },
      ],
    },
    { text: 'Done.' },
  )
  const sessionId = await agent.session(project.root, 'accept-edits')
  await agent.prompt(sessionId, 'Change x')
  return sessionId
}

function load(agent: AgentProcess, sessionId: string, cwd: string) {
  return agent.agent.request('session/load', { sessionId, cwd, mcpServers: [] })
}

test('[session.load.order] a stored session is told again before the response, and goes on', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using before = await shop.start()
  const sessionId = await storedSession(before, shop)
  await using agent = await shop.start()
  const answer = await load(agent, sessionId, shop.project.root)
  const count = agent.updates.length
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(agent.updates).toHaveLength(count)
  expect(agent.frames.at(-1)).toHaveProperty('result')
  expect(answer.modes?.currentModeId).toBe('accept-edits')
  expect(answer.configOptions?.[0]).toMatchObject({ id: 'mode', currentValue: 'accept-edits' })
  const told = agent.updates.map(({ update }) =>
    'toolCallId' in update
      ? `${update.sessionUpdate} ${update.toolCallId} ${update.status}`
      : update.sessionUpdate,
  )
  expect(told).toEqual([
    'user_message_chunk',
    'agent_thought_chunk',
    'agent_message_chunk',
    'tool_call r pending',
    'tool_call_update r completed',
    'tool_call e pending',
    'tool_call_update e completed',
    'tool_call p pending',
    'tool_call_update p completed',
    'plan',
    'agent_message_chunk',
  ])
  expect(agent.text('user_message_chunk')).toBe('Change x')
  expect(agent.text('agent_message_chunk')).toBe('Let me see.Done.')
  expect(agent.call('e').at(-1)?.content).toEqual(before.call('e').at(-1)?.content)
  shop.model.reply({ text: 'Going on.' })
  expect(await agent.prompt(sessionId, 'and now')).toEqual({ stopReason: 'end_turn' })
  const heard = shop.model.requests.at(-1)?.heard
  expect(heard).toMatch(
    /Change x.*"thinking":"Hm\.","signature":"sealed".*Let me see.*Done\..*and now/,
  )
})

test('[session.load.mismatch] another folder or an unknown id is an error, and nothing is built', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using other = await newProject()
  await using agent = await shop.start()
  const sessionId = await storedSession(agent, shop)
  await agent.agent.request('session/close', { sessionId })
  const count = agent.updates.length
  await expect(load(agent, sessionId, other.root)).rejects.toMatchObject({
    code: -32_602,
    message: `This session belongs to the folder ${JSON.stringify(shop.project.root)}, not to the one asked for.`,
  })
  for (const id of ['00000000-0000-0000-0000-000000000000', '../../secret', ''])
    await expect(load(agent, id, shop.project.root)).rejects.toMatchObject({ code: -32_002 })
  expect(agent.updates).toHaveLength(count)
  await expect(agent.prompt(sessionId, 'hi')).rejects.toMatchObject({ code: -32_002 })
})

test('[session.load.order] a session that is open, or being opened, is not opened again', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using agent = await shop.start()
  const sessionId = await storedSession(agent, shop)
  await expect(load(agent, sessionId, shop.project.root)).rejects.toMatchObject({
    message: expect.stringContaining('open already'),
  })
  await agent.agent.request('session/close', { sessionId })
  const both = await Promise.allSettled([
    load(agent, sessionId, shop.project.root),
    load(agent, sessionId, shop.project.root),
  ])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('[session.resume] a session goes on without being told again', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using before = await shop.start()
  const sessionId = await storedSession(before, shop)
  await using agent = await shop.start()
  const cwd = shop.project.root
  const answer = await agent.agent.request('session/resume', { sessionId, cwd, mcpServers: [] })
  expect(answer.modes?.currentModeId).toBe('accept-edits')
  expect(agent.updates).toEqual([])
  shop.model.reply({ text: 'ok' })
  await agent.prompt(sessionId, 'next')
  expect(shop.model.requests.at(-1)?.heard).toContain('Change x')
})

test('[session.list] sessions are listed newest first, by folder and without, in pages', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using agent = await shop.start()
  const sessionId = await storedSession(agent, shop)
  const { model: _model, ...rest } = shop
  await writeMany(rest.folder, 60)
  const here = await agent.agent.request('session/list', { cwd: shop.project.root })
  expect(here.sessions).toEqual([
    {
      sessionId,
      cwd: shop.project.root,
      title: 'Change x',
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  ])
  const first = await agent.agent.request('session/list', {})
  expect(first.sessions).toHaveLength(50)
  const second = await agent.agent.request('session/list', { cursor: first.nextCursor ?? '' })
  expect(second.sessions).toHaveLength(11)
  expect(second.nextCursor).toBeUndefined()
  const all = [...first.sessions, ...second.sessions]
  expect(new Set(all.map((session) => session.sessionId)).size).toBe(61)
  const times = all.map((session) => session.updatedAt ?? '')
  expect(times).toEqual(times.toSorted((a, b) => (a < b ? 1 : -1)))
})

test('[session.delete] a deleted session is closed, and its journal is gone', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using agent = await shop.start()
  const sessionId = await storedSession(agent, shop)
  await agent.agent.request('session/delete', { sessionId })
  expect(await readdir(shop.folder)).toEqual([])
  await expect(agent.prompt(sessionId, 'hi')).rejects.toMatchObject({ code: -32_002 })
  expect(await agent.agent.request('session/delete', { sessionId: '../../../x' })).toEqual({})
})

test('[journal.first] secrets are not written down, and a session without a prompt leaves nothing', async () => {
  await using shop = await workshop()
  await using agent = await shop.start()
  await agent.session(shop.project.root)
  expect(await readdir(shop.folder)).toEqual([])
  const token = `ghp_${'a1B2'.repeat(9)}`
  const command = `echo ${token} placeholder-key`
  shop.model.reply({ calls: [{ name: 'run_command', input: { command } }] }, { text: 'ok' })
  const sessionId = await agent.session(shop.project.root, 'build')
  await agent.prompt(sessionId, `use ${token}`)
  const journal = await readFile(path.join(shop.folder, `${sessionId}.jsonl`), 'utf8')
  expect(journal).toContain('echo ***')
  expect(journal).not.toContain(token)
  expect(journal).not.toContain('placeholder-key')
})

test('[journal.first] a journal that ends in the middle of a call is closed, told and continued', async () => {
  await using shop = await workshop()
  await using before = await shop.start()
  const command = 'echo $$ > pid; sleep 30'
  shop.model.reply({ calls: [{ id: 'c', name: 'run_command', input: { command } }] })
  const sessionId = await before.session(shop.project.root, 'build')
  before.prompt(sessionId, 'go').catch(() => undefined)
  await expect.poll(() => shop.project.read('pid').catch(() => '')).toMatch(/\d/)
  const pid = Number(await shop.project.read('pid'))
  before.kill('SIGKILL')
  await before.exited
  process.kill(-pid, 'SIGKILL')
  const file = path.join(shop.folder, `${sessionId}.jsonl`)
  await appendFile(file, '{"type":"message","message":{"role":"tools","resu')
  await using agent = await shop.start()
  await load(agent, sessionId, shop.project.root)
  expect(agent.call('c').at(-1)).toMatchObject({ status: 'failed' })
  shop.model.reply({ text: 'ok' })
  expect(await agent.prompt(sessionId, 'next')).toEqual({ stopReason: 'end_turn' })
  const heard = shop.model.requests.at(-1)?.heard
  expect(heard).toContain('Not run: the session was interrupted.')
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  expect(lines.at(-1)).toBe('{"type":"stop","reason":"end_turn"}')
})

test('[option.fold] a change while idle is shown, but lasts only with the next turn', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using before = await shop.start()
  const sessionId = await storedSession(before, shop)
  await before.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  before.kill('SIGKILL')
  await before.exited
  await using agent = await shop.start()
  const answer = await load(agent, sessionId, shop.project.root)
  expect(answer.modes?.currentModeId).toBe('accept-edits')
  await agent.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  shop.model.reply({ text: 'ok' })
  await agent.prompt(sessionId, 'hi')
  await using third = await shop.start()
  expect((await load(third, sessionId, shop.project.root)).modes?.currentModeId).toBe('plan')
})

test('[option.fold] a change in a turn lasts at once', async () => {
  await using shop = await workshop()
  await using before = await shop.start()
  const sessionId = await before.session(shop.project.root)
  shop.model.hang()
  before.prompt(sessionId, 'hi').catch(() => undefined)
  await shop.model.request(0)
  await before.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  before.kill('SIGKILL')
  await before.exited
  await using agent = await shop.start()
  expect((await load(agent, sessionId, shop.project.root)).modes?.currentModeId).toBe('plan')
})

test('[stop.error] the journal records how each turn ended', async () => {
  await using shop = await workshop()
  await using agent = await shop.start()
  const sessionId = await agent.session(shop.project.root)
  shop.model.refuse(400, { error: { message: 'no' } }).reply({ text: 'ok' })
  await agent.prompt(sessionId, 'hi').catch(() => undefined)
  await agent.prompt(sessionId, 'hi')
  const journal = await readFile(path.join(shop.folder, `${sessionId}.jsonl`), 'utf8')
  const stops = journal.split('\n').filter((line) => line.includes('"type":"stop"'))
  expect(stops.map((line) => JSON.parse(line))).toEqual([
    { type: 'stop', reason: 'error', message: 'The model provider answered 400: no.' },
    { type: 'stop', reason: 'end_turn' },
  ])
})

test('[init.caps] without a place for journals nothing of them is offered', async () => {
  await using project = await newProject({ file: '' })
  await using model = await scriptedModel()
  await using agent = await startAgent({ model, env: { GLOVEBOX_STATE: project.path('file/x') } })
  const answer = await agent.initialize()
  expect(answer.agentCapabilities?.loadSession).toBe(false)
  expect(answer.agentCapabilities?.sessionCapabilities).toEqual({ close: {} })
  model.reply({ text: 'ok' })
  const sessionId = await agent.session(project.root)
  expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
  await expect(load(agent, sessionId, project.root)).rejects.toMatchObject({ code: -32_601 })
})

async function writeMany(folder: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const header = { type: 'session', version: 1, id, cwd: '/elsewhere', at: '' }
    await writeFile(path.join(folder, `${id}.jsonl`), `${JSON.stringify(header)}\n`)
  }
}
