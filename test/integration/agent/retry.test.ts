import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'
import type { Dialect } from '../../support/agent/scripted-model.ts'

test.for(['anthropic', 'openai', 'responses'] as const satisfies Dialect[])(
  '[turn.retry] %s: a broken stream is sent again with a notice, and only the whole reply is kept',
  async (dialect) => {
    await using project = await newProject()
    await using model = await scriptedModel(dialect)
    model.reply({ text: 'Half an answer', breakAfter: 3 }, { text: 'Whole' }, { text: 'ok' })
    await using agent = await startAgent({ model })
    const sessionId = await agent.session(project.root)
    expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
    expect(agent.text('agent_message_chunk')).toMatch(
      /^Half an.*Glovebox: The model’s answer broke off\. The answer starts again\.\nWhole$/,
    )
    await agent.prompt(sessionId, 'next')
    const heard = model.requests[2]?.heard
    expect(heard).toContain('Whole')
    expect(heard).not.toContain('Half')
  },
)

test('[turn.retry] a stream that breaks a third time is an error, and no more is sent', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  for (let time = 0; time < 4; time++) model.reply({ text: 'Half', breakAfter: 3 })
  await using agent = await startAgent({ model })
  await expect(agent.prompt(await agent.session(project.root), 'hi')).rejects.toMatchObject({
    code: -32_603,
    message: 'The model’s answer broke off.',
  })
  expect(model.requests).toHaveLength(3)
})

test('[turn.retry] an overload in the middle of the stream is a broken stream', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.respond((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`)
  })
  model.reply({ text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root), 'hi')
  expect(agent.text('agent_message_chunk')).toBe(
    'Glovebox: The model provider reported overloaded_error: Overloaded. It is asked again.\nok',
  )
})

test.for([429, 503, 529])(
  '[turn.retry] a busy provider (%i) is asked again when it said',
  async (status) => {
    await using project = await newProject()
    await using model = await scriptedModel()
    model.refuse(status, { error: { message: 'slow down' } }, { 'retry-after': '1' })
    model.reply({ text: 'ok' })
    await using agent = await startAgent({ model })
    const begun = performance.now()
    const sessionId = await agent.session(project.root)
    expect(await agent.prompt(sessionId, 'hi')).toEqual({ stopReason: 'end_turn' })
    expect(performance.now() - begun).toBeGreaterThan(1_000)
    expect(agent.text('agent_message_chunk')).toContain(
      `Glovebox: The model provider answered ${status}: slow down. It is asked again in 1 s.\n`,
    )
  },
)

test('[turn.retry] a provider that stays busy is asked 5 times, then it is an error', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  for (let time = 0; time < 6; time++) model.refuse(500, 'broken', { 'retry-after': '0' })
  await using agent = await startAgent({ model })
  await expect(agent.prompt(await agent.session(project.root), 'hi')).rejects.toMatchObject({
    message: 'The model provider answered 500: broken.',
  })
  expect(model.requests).toHaveLength(5)
})

test('[turn.retry] a provider that wants more than a minute of patience is an error at once', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.refuse(429, { error: { message: 'tomorrow' } }, { 'retry-after': '3600' })
  await using agent = await startAgent({ model })
  await expect(agent.prompt(await agent.session(project.root), 'hi')).rejects.toMatchObject({
    message: 'The model provider answered 429: tomorrow.',
  })
  expect(model.requests).toHaveLength(1)
})

test('a cancel ends the waiting for a busy provider', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.refuse(429, { error: { message: 'wait' } }, { 'retry-after': '30' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  const prompt = agent.prompt(sessionId, 'hi')
  await agent.seen((update) => update.sessionUpdate === 'agent_message_chunk')
  await agent.cancel(sessionId)
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
})
