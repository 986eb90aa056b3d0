import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

import { expect, test } from 'vitest'

import { newProject } from '../../support/agent/project.ts'
import { load, storedSession, workshop } from '../../support/agent/workshop.ts'

test('[session.load.order] a stored session is told again before the response, and goes on', async () => {
  await using shop = await workshop({ 'a.txt': 'x' })
  await using before = await shop.start()
  const sessionId = await storedSession(before, shop)
  await using agent = await shop.start()
  const answer = await load(agent, sessionId, shop.project.root)
  const count = agent.updates.length
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(agent.updates).toHaveLength(count)
  const names = agent.frames.map((frame) => frame.method ?? 'response')
  expect(names.lastIndexOf('response')).toBe(names.length - 2)
  expect(agent.menus).toHaveLength(1)
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
})

test('[session.delete] [session.load.mismatch] an id cannot lead out of the folder of the journals', async () => {
  await using shop = await workshop()
  await using agent = await shop.start()
  const cwd = shop.project.root
  const header = { type: 'session', version: 1, id: '../x', cwd, at: '' }
  const outside = path.join(shop.folder, '../x.jsonl')
  await writeFile(outside, `${JSON.stringify(header)}\n`)
  expect(await agent.agent.request('session/delete', { sessionId: '../x' })).toEqual({})
  await expect(load(agent, '../x', cwd)).rejects.toMatchObject({ code: -32_002 })
  expect(await readFile(outside, 'utf8')).toContain('"../x"')
})

async function writeMany(folder: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const header = { type: 'session', version: 1, id, cwd: '/elsewhere', at: '' }
    await writeFile(path.join(folder, `${id}.jsonl`), `${JSON.stringify(header)}\n`)
  }
}
