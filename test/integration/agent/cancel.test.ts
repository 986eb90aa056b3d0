import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import type { AgentProcess } from '../../support/agent/agent-process.ts'
import { isRunning } from '../../support/agent/processes.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel, toolResults } from '../../support/agent/scripted-model.ts'

const run = (command: string, id = 'c') => ({ id, name: 'run_command', input: { command } })

function inProgress(agent: AgentProcess, id: string) {
  return agent.seen(
    (update) =>
      update.sessionUpdate === 'tool_call_update' &&
      update.toolCallId === id &&
      JSON.stringify(update.content ?? '').includes('ready'),
  )
}

// 100 ms is the agent's bound; a machine that is busy elsewhere gets another try.
test(
  '[cancel.model] [cancel.lines] [cancel.next] [stop.cancelled] a cancel while the model writes ends its stream within 100 ms and says so',
  { retry: 2 },
  async () => {
    await using project = await newProject()
    await using model = await scriptedModel()
    model.hang({ text: 'Let me think' }).reply({ text: 'again' })
    await using agent = await startAgent({ model })
    const sessionId = await agent.session(project.root)
    const prompt = agent.prompt(sessionId, 'go')
    await agent.seen((update) => update.sessionUpdate === 'agent_message_chunk')
    const request = await model.request(0)
    const begun = performance.now()
    await agent.cancel(sessionId)
    expect(await request.aborted).toBe(true)
    expect(performance.now() - begun).toBeLessThan(100)
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    expect(agent.text('agent_message_chunk')).toBe('Let meGlovebox: The turn was cancelled.\n')
    expect(await agent.prompt(sessionId, 'next')).toEqual({ stopReason: 'end_turn' })
    const heard = JSON.stringify(model.requests[1]?.body.messages)
    expect(heard).toContain('The user cancelled the turn')
    expect(heard).toContain('next')
  },
)

test('[cancel.queue] $/cancel_request for the prompt does the same', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.hang()
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  const stop = new AbortController()
  const prompt = agent.agent.request(
    'session/prompt',
    { sessionId, prompt: [{ type: 'text', text: 'go' }] },
    { cancellationSignal: stop.signal },
  )
  await model.request(0)
  stop.abort()
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
})

test('[cancel.command] [cancel.failed] [cancel.lines] [cancel.next] a cancelled command gets TERM, its call fails, a line names it, and the next prompt works', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const command = `trap 'echo got TERM; exit 0' TERM; echo ready; sleep 60 & wait`
  model.reply({ calls: [run(command), run('echo never', 'n')] }, { text: 'ok' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'build')
  const prompt = agent.prompt(sessionId, 'go')
  await inProgress(agent, 'c')
  const begun = performance.now()
  await agent.cancel(sessionId)
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
  expect(performance.now() - begun).toBeLessThan(1_500)
  // The command returned 0 and a result: it failed all the same, since it was stopped.
  expect(agent.call('c').at(-1)).toMatchObject({ status: 'failed', rawOutput: { exitCode: 0 } })
  expect(JSON.stringify(agent.call('c').at(-1)?.content)).toContain('Cancelled.')
  expect(agent.call('n')).toEqual([])
  expect(agent.text('agent_message_chunk')).toBe(`Glovebox: $ ${command} cancelled.\n`)
  expect(agent.frames.at(-1)).toMatchObject({ result: { stopReason: 'cancelled' } })
  expect(await agent.prompt(sessionId, 'next')).toEqual({ stopReason: 'end_turn' })
  expect(toolResults(model.requests[1])).toEqual([
    { id: 'c', text: expect.stringMatching(/got TERM[^]*Cancelled\.$/), failed: true },
    { id: 'n', text: 'Not run: the user cancelled the turn.', failed: true },
  ])
})

test('[cancel.command] a command that ignores TERM is killed 2 s later, with all it started', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const command = `trap '' TERM; sleep 61 & echo $! > child; echo ready; wait; sleep 62`
  model.reply({ calls: [run(command)] })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'build')
  const prompt = agent.prompt(sessionId, 'go')
  await inProgress(agent, 'c')
  const begun = performance.now()
  await agent.cancel(sessionId)
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
  const took = performance.now() - begun
  expect(took).toBeGreaterThan(1_900)
  expect(took).toBeLessThan(3_000)
  const child = Number(await project.read('child'))
  await expect.poll(() => isRunning(child)).toBe(false)
})

test('[perm.abort] a cancel while a question is open denies at once, though the client never answers', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [{ id: 'w', name: 'write_file', input: { path: 'a', content: 'x' } }] })
  const never = Promise.withResolvers<string>()
  await using agent = await startAgent({ model, permission: () => never.promise })
  const sessionId = await agent.session(project.root)
  const prompt = agent.prompt(sessionId, 'go')
  await expect.poll(() => agent.questions.length).toBe(1)
  const begun = performance.now()
  await agent.cancel(sessionId)
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
  expect(performance.now() - begun).toBeLessThan(500)
  expect(agent.call('w').at(-1)?.status).toBe('failed')
  expect(agent.text('agent_message_chunk')).toBe('Glovebox: Write a cancelled.\n')
  await expect(project.read('a')).rejects.toThrow(/ENOENT/)
  never.resolve('allow-once')
})

test('[perm.abort] a late yes after the cancel writes nothing', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [{ id: 'w', name: 'write_file', input: { path: 'a', content: 'x' } }] })
  const answer = Promise.withResolvers<string>()
  await using agent = await startAgent({ model, permission: () => answer.promise })
  const sessionId = await agent.session(project.root)
  const prompt = agent.prompt(sessionId, 'go')
  await expect.poll(() => agent.questions.length).toBe(1)
  await agent.cancel(sessionId)
  answer.resolve('allow-once')
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await expect(project.read('a')).rejects.toThrow(/ENOENT/)
})

test('[cancel.queue] a cancel reaches only the session it names, and is nothing where no prompt runs', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const go = Promise.withResolvers<void>()
  await using agent = await startAgent({ model })
  const [one, two] = [await agent.session(project.root), await agent.session(project.root)]
  model.respond(async (_request, response) => {
    await go.promise
    response.destroy()
  })
  model.reply({ text: 'fine' })
  const prompt = agent.prompt(one, 'go')
  await model.request(0)
  await agent.cancel(two)
  await agent.cancel('no-such-session')
  go.resolve()
  expect(await prompt).toEqual({ stopReason: 'end_turn' })
})
