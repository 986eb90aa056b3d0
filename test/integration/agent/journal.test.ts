import { appendFile, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'
import { load, storedSession, workshop } from '../../support/agent/workshop.ts'

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
  const whole = lines.filter((line) => line !== '{"type":"message","message":{"role":"tools","resu')
  expect(whole).toHaveLength(lines.length - 1)
  expect(
    whole.map((line) => JSON.parse(line)).filter(({ type }) => type === 'prompt'),
  ).toHaveLength(2)
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
