import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

const COMMAND =
  '---\ndescription: Review a file\nargument-hint: "[file]"\n---\n\nReview $1 with care. All: $ARGUMENTS\n'

test('[session.commandsafter] the commands follow the response that names the session', async () => {
  await using project = await newProject({ '.glovebox/commands/review.md': COMMAND })
  await using model = await scriptedModel()
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  await expect.poll(() => agent.menus.length).toBe(1)
  expect(agent.menus[0]).toEqual({
    sessionId,
    update: {
      sessionUpdate: 'available_commands_update',
      availableCommands: [
        { name: 'status', description: 'Show model, mode, cost and the rules of this session.' },
        { name: 'review', description: 'Review a file', input: { hint: '[file]' } },
      ],
    },
  })
  const names = agent.frames.map((frame) => frame.method ?? 'response')
  expect(names).toEqual(['response', 'response', 'session/update'])
})

test('[prompt.slash] a built-in command is answered by the agent, and the model hears nothing', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'build')
  expect(await agent.prompt(sessionId, '/status')).toEqual({ stopReason: 'end_turn' })
  expect(agent.text('agent_message_chunk')).toBe(
    'Glovebox: model claude-scripted, mode build, 0 messages; rules of this session: none.\n',
  )
  expect(model.requests).toEqual([])
})

test('[prompt.slash] a slash that begins no command is text', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root), '/etc/hosts is what?')
  expect(model.requests[0]?.heard).toContain('/etc/hosts is what?')
})

test('[perm.ownentry] [ext.commands] [prompt.slash] a command of the project shows itself in an entry of its own and asks, the first time', async () => {
  await using project = await newProject({ '.claude/commands/review.md': COMMAND })
  await using model = await scriptedModel()
  model.reply({ text: 'ok' }, { text: 'ok' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root)
  await agent.prompt(sessionId, '/review a.ts now')
  await agent.prompt(sessionId, '/review b.ts')
  expect(agent.questions.map(({ toolCall }) => toolCall.toolCallId)).toEqual([
    'glovebox-question-1',
  ])
  expect(agent.call('glovebox-question-1')).toMatchObject([
    { sessionUpdate: 'tool_call', kind: 'other', status: 'pending' },
    { status: 'completed' },
  ])
  expect(JSON.stringify(agent.questions[0]?.toolCall.content)).toContain('Review $1 with care')
  expect(model.requests[0]?.heard).toContain('Review a.ts with care. All: a.ts now')
  expect(model.requests[1]?.heard).toContain('Review b.ts with care. All: b.ts')
})

test('[ext.commands] a command that is not agreed to does not reach the model', async () => {
  await using project = await newProject({ '.claude/commands/review.md': COMMAND })
  await using model = await scriptedModel()
  await using agent = await startAgent({ model, permission: () => 'reject-once' })
  const sessionId = await agent.session(project.root)
  expect(await agent.prompt(sessionId, '/review a.ts')).toEqual({ stopReason: 'end_turn' })
  expect(agent.text('agent_message_chunk')).toBe('Glovebox: /review was not run.\n')
  expect(agent.call('glovebox-question-1').at(-1)?.status).toBe('failed')
  expect(model.requests).toEqual([])
})

test('[ext.commands] a command of the user’s own runs without a question, and goes before the project’s', async () => {
  await using project = await newProject({ '.glovebox/commands/hello.md': 'The project’s' })
  await using home = await newProject({ '.config/glovebox/commands/hello.md': 'The user’s' })
  await using model = await scriptedModel()
  model.reply({ text: 'ok' })
  await using agent = await startAgent({ model, home: home.root })
  await agent.prompt(await agent.session(project.root), '/hello there')
  expect(agent.questions).toEqual([])
  expect(model.requests[0]?.heard).toContain('The user’s\\n\\nthere')
})
