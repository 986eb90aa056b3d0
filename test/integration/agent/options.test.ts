import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

test('[option.vocab] a session has the options there is something to choose for, and no others', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  await using plain = await startAgent({ model })
  const few = await plain.agent.request('session/new', { cwd: project.root, mcpServers: [] })
  expect(few.configOptions?.map((option) => option.id)).toEqual(['mode'])
  const env = { GLOVEBOX_MODEL: 'claude-sonnet-4-5', GLOVEBOX_MODELS: 'claude-haiku-4-5' }
  await using rich = await startAgent({ model, env })
  const all = await rich.agent.request('session/new', { cwd: project.root, mcpServers: [] })
  expect(all.configOptions).toMatchObject([
    { id: 'mode', category: 'mode', type: 'select', currentValue: 'ask' },
    {
      id: 'model',
      category: 'model',
      currentValue: 'claude-sonnet-4-5',
      options: [{ value: 'claude-sonnet-4-5' }, { value: 'claude-haiku-4-5' }],
    },
    { id: 'effort', category: 'thought_level', currentValue: 'off' },
  ])
})

test.for([
  ['mode', 'yolo', 'The option "mode" has no value "yolo".'],
  ['model', 'other', 'There is no option "model".'],
  ['colour', 'red', 'There is no option "colour".'],
] as const)(
  '[option.vocab] setting %s to %s is refused: %s',
  async ([configId, value, message]) => {
    await using project = await newProject()
    await using model = await scriptedModel()
    await using agent = await startAgent({ model })
    const sessionId = await agent.session(project.root)
    await expect(
      agent.agent.request('session/set_config_option', { sessionId, configId, value }),
    ).rejects.toMatchObject({ code: -32_602, message })
  },
)

test('[mode.option] the mode as an option and the mode are the same thing', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const command = { name: 'run_command', input: { command: 'echo hi' } }
  model.reply({ calls: [command] }, { text: 'ok' })
  await using agent = await startAgent({ model })
  const sessionId = await agent.session(project.root, 'plan')
  const set = (value: string) =>
    agent.agent.request('session/set_config_option', { sessionId, configId: 'mode', value })
  const refused = await set('nothing').catch(() => 'refused')
  expect(refused).toBe('refused')
  expect((await set('build')).configOptions[0]).toMatchObject({ id: 'mode', currentValue: 'build' })
  await agent.prompt(sessionId, 'go')
  expect(agent.questions).toEqual([])
  expect(JSON.stringify(agent.updates)).toContain('Exit code 0.')
  expect(agent.updates.map(({ update }) => update.sessionUpdate)).not.toContain(
    'current_mode_update',
  )
})

test('[option.model] model and effort are chosen for each session by itself', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ text: 'ok' }, { text: 'ok' })
  const env = { GLOVEBOX_MODEL: 'claude-sonnet-4-5', GLOVEBOX_MODELS: 'claude-opus-4-5' }
  await using agent = await startAgent({ model, env })
  const [one, two] = [await agent.session(project.root), await agent.session(project.root)]
  const set = (configId: string, value: string) =>
    agent.agent.request('session/set_config_option', { sessionId: one, configId, value })
  await set('model', 'claude-opus-4-5')
  await set('effort', 'low')
  await agent.prompt(one, 'hi')
  await agent.prompt(two, 'hi')
  expect(model.requests[0]?.body).toMatchObject({
    model: 'claude-opus-4-5',
    max_tokens: 8192 + 4096,
    thinking: { type: 'enabled', budget_tokens: 4096 },
  })
  expect(model.requests[1]?.body).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 8192 })
  expect(model.requests[1]?.body).not.toHaveProperty('thinking')
})
