import type { McpServer } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

test.for([
  ['relative/path', 'is not an absolute path'],
  ['/no/such/folder', 'does not exist'],
  [process.execPath, 'is not a folder'],
] as const)('[session.cwd] session/new refuses the cwd %s: it %s', async ([cwd, why]) => {
  await using model = await scriptedModel()
  await using agent = await startAgent({ model })
  await expect(agent.session(cwd)).rejects.toMatchObject({
    code: -32_602,
    message: `The working directory ${JSON.stringify(cwd)} ${why}.`,
  })
})

test.for(['GLOVEBOX_PROVIDER', 'GLOVEBOX_MODEL', 'GLOVEBOX_BASE_URL', 'GLOVEBOX_API_KEY'])(
  '[auth.required] session/new without %s says what is missing and what to run',
  async (name) => {
    await using project = await newProject()
    await using model = await scriptedModel()
    await using agent = await startAgent({ model, env: { [name]: '' } })
    await expect(agent.session(project.root)).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringMatching(new RegExp(`${name} is not set.*glovebox setup`)),
    })
  },
)

test('[auth.other] a setting that is wrong is a plain error that names it', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  await using agent = await startAgent({ model, env: { GLOVEBOX_PROVIDER: 'abacus' } })
  await expect(agent.session(project.root)).rejects.toMatchObject({
    code: -32_603,
    message: 'GLOVEBOX_PROVIDER is not valid: expected "anthropic" or "openai".',
  })
})

test('[mode.list] [update.order] [session.commandsafter] a new session tells its modes, and nothing of it comes before the answer', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  await using agent = await startAgent({ model })
  const answer = await agent.agent.request('session/new', { cwd: project.root, mcpServers: [] })
  expect(answer.modes?.currentModeId).toBe('ask')
  expect(answer.modes?.availableModes.map((mode) => mode.id)).toEqual([
    'ask',
    'plan',
    'build',
    'accept-edits',
  ])
  await expect.poll(() => agent.menus.length).toBe(1)
  const names = agent.frames.map((frame) => frame.method ?? 'response')
  expect(names).toEqual(['response', 'response', 'session/update'])
})

const edit = (text: string) => ({ name: 'write_file', input: { path: 'a.txt', content: text } })

test('[session.isolated] two sessions overlap without mixing: text, questions, rules and conversation', async () => {
  await using one = await newProject({ 'a.txt': 'one' })
  await using two = await newProject({ 'a.txt': 'two' })
  await using model = await scriptedModel()
  model.reply({ calls: [{ id: 'c-one', ...edit('ONE') }] })
  const firstAsked = Promise.withResolvers<void>()
  await using agent = await startAgent({
    model,
    permission: async (question) => {
      if (question.toolCall.toolCallId === 'c-one') await firstAsked.promise
      return 'allow-always'
    },
  })
  const [first, second] = [await agent.session(one.root), await agent.session(two.root)]
  const firstTurn = agent.prompt(first, 'first words')
  await expect.poll(() => agent.questions.length).toBe(1)
  model.reply({ calls: [{ id: 'c-two', ...edit('TWO') }] }, { text: 'second done' })
  expect(await agent.prompt(second, 'second words')).toEqual({ stopReason: 'end_turn' })
  model.reply({ text: 'first done' })
  firstAsked.resolve()
  expect(await firstTurn).toEqual({ stopReason: 'end_turn' })
  expect(agent.questions.map((question) => question.sessionId)).toEqual([first, second])
  expect([await one.read('a.txt'), await two.read('a.txt')]).toEqual(['ONE', 'TWO'])
  const heard = JSON.stringify(model.requests.at(-1)?.body.messages)
  expect(heard).toContain('first words')
  expect(heard).not.toContain('second words')
  const textOf = (id: string) =>
    agent.updates
      .flatMap(({ sessionId, update }) =>
        sessionId === id &&
        update.sessionUpdate === 'agent_message_chunk' &&
        update.content.type === 'text'
          ? update.content.text
          : [],
      )
      .join('')
  expect([textOf(first), textOf(second)]).toEqual(['first done', 'second done'])
})

test('[session.oneprompt] a second prompt while one runs is an error, and the first is not disturbed', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const go = Promise.withResolvers<void>()
  model.respond(async (_request, response) => {
    await go.promise
    response.writeHead(400).end('{"error":{"message":"enough"}}')
  })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  const first = agent.prompt(sessionId, 'one')
  await model.request(0)
  await expect(agent.prompt(sessionId, 'two')).rejects.toMatchObject({
    code: -32_600,
    message: expect.stringContaining('already running'),
  })
  go.resolve()
  await expect(first).rejects.toMatchObject({ message: expect.stringContaining('enough') })
  expect(model.requests).toHaveLength(1)
})

test('[session.close] session/close cancels what runs and frees the session', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.hang()
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  const prompt = agent.prompt(sessionId, 'one')
  const request = await model.request(0)
  await agent.agent.request('session/close', { sessionId })
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
  expect(await request.aborted).toBe(true)
  await expect(agent.prompt(sessionId, 'two')).rejects.toMatchObject({ code: -32_002 })
})

test('[session.title] the first turn gives the session a title', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ text: 'ok' }, { text: 'ok' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  await agent.prompt(sessionId, 'Fix the\nbug')
  await agent.prompt(sessionId, 'And another')
  const titles = agent.updates.flatMap(({ update }) =>
    update.sessionUpdate === 'session_info_update' ? [update.title] : [],
  )
  expect(titles).toEqual(['Fix the ↵ bug'])
})

test('[mcp.drop] [session.notices] MCP servers that are not started are named with the first prompt', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ text: 'ok' })
  await using agent = await startAgent({ model })
  const server: McpServer = { name: 'calendar', command: '/bin/true', args: [], env: [] }
  const { sessionId } = await agent.agent.request('session/new', {
    cwd: project.root,
    mcpServers: [server],
  })
  await agent.prompt(sessionId, 'hi')
  expect(agent.text('agent_message_chunk')).toMatch(/^Glovebox: MCP servers .*: calendar\.\n/)
})

test('[session.notices] a client with notices gets the agent’s own lines as notices', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.hang()
  await using agent = await startAgent({ model, capabilities: { session: { notices: {} } } })
  const sessionId = await agent.session(project.root)
  const prompt = agent.prompt(sessionId, 'hi')
  await model.request(0)
  await agent.cancel(sessionId)
  await prompt
  expect(agent.updates.map(({ update }) => update)).toContainEqual({
    sessionUpdate: 'notice',
    severity: 'info',
    title: 'Glovebox: The turn was cancelled.',
  })
  expect(agent.text('agent_message_chunk')).not.toContain('Glovebox')
})
