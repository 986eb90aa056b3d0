import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel, toolResults } from '../../support/agent/scripted-model.ts'

const present = { id: 'p', name: 'present_plan', input: { plan: '1. Write a file' } }
const write = { id: 'w', name: 'write_file', input: { path: 'a', content: 'x' } }

test('[mode.own] an approved plan leaves plan mode in mid-turn, and the client is told', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [write] }, { calls: [present] }, { calls: [{ ...write, id: 'w2' }] })
  model.reply({ text: 'ok' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'accept-edits')
  await agent.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  await agent.prompt(sessionId, 'go')
  expect(agent.questions.map(({ toolCall }) => [toolCall.title, toolCall.kind])).toEqual([
    ['Leave plan mode', 'switch_mode'],
  ])
  expect(JSON.stringify(agent.questions[0]?.toolCall.content)).toContain('1. Write a file')
  const updates = agent.updates.map(({ update }) => update)
  expect(updates).toContainEqual({
    sessionUpdate: 'current_mode_update',
    currentModeId: 'accept-edits',
  })
  expect(updates.find((update) => update.sessionUpdate === 'config_option_update')).toMatchObject({
    configOptions: [{ id: 'mode', currentValue: 'accept-edits' }],
  })
  expect(await project.read('a')).toBe('x')
  const offered = model.requests.map(({ body }) => body.tools?.map((tool) => tool.name))
  expect(offered.map((names) => names?.includes('present_plan'))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(model.requests[0]?.heard).toContain('Plan mode is on')
})

test('[mode.own] a plan that is not approved leaves plan mode on, whatever was answered before', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [present] }, { calls: [{ ...write }] }, { text: 'ok' })
  await using agent = await startAgent({ model, permission: () => 'reject-once' })
  await agent.prompt(await agent.session(project.root, 'plan'), 'go')
  expect(agent.updates.map(({ update }) => update.sessionUpdate)).not.toContain(
    'current_mode_update',
  )
  expect(toolResults(model.requests[2]).map((result) => result.text)).toEqual([
    'Permission denied: the user said no.',
    'Permission denied: in plan mode nothing is changed and no command runs.',
  ])
})

test('[mode.own] outside plan mode there is no plan to approve', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [present] }, { text: 'ok' })
  await using agent = await startAgent({ model })
  await agent.prompt(await agent.session(project.root, 'build'), 'go')
  expect(agent.questions).toEqual([])
  expect(toolResults(model.requests[1])[0]?.text).toMatch(/^There is no tool "present_plan"/)
})
