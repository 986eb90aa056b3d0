import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

const list = { calls: [{ name: 'list_files', input: {} }] }
const usage = { input: 100_000, cacheRead: 1_000_000, output: 10_000 }

test('[update.usage] the session’s cost adds up over turns, and a session opened again goes on from it', async () => {
  await using project = await newProject()
  await using home = await newProject()
  await using model = await scriptedModel()
  for (let turn = 0; turn < 3; turn++) model.reply({ text: 'ok', usage })
  const options = { model, home: home.root, env: { GLOVEBOX_MODEL: 'claude-sonnet-4-5' } }
  await using agent = await startAgent(options)
  const sessionId = await agent.session(project.root)
  await agent.prompt(sessionId, 'one')
  await agent.prompt(sessionId, 'two')
  await using later = await startAgent(options)
  const cwd = project.root
  await later.agent.request('session/resume', { sessionId, cwd, mcpServers: [] })
  await later.prompt(sessionId, 'three')
  const costs = [...agent.updates, ...later.updates].flatMap(({ update }) =>
    update.sessionUpdate === 'usage_update' ? [update.cost] : [],
  )
  expect(costs.map((cost) => cost?.currency)).toEqual(['USD', 'USD', 'USD'])
  expect(costs.map((cost) => Number(cost?.amount.toFixed(6)))).toEqual([0.75, 1.5, 2.25])
})

test('[stop.max_turn_requests] the cost limit ends the turn with max_turn_requests', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ ...list, usage }, { ...list, usage })
  const env = { GLOVEBOX_MODEL: 'claude-sonnet-4-5', GLOVEBOX_COST_LIMIT: '0.5' }
  await using agent = await startAgent({ model, env })
  const sessionId = await agent.session(project.root)
  expect(await agent.prompt(sessionId, 'go')).toEqual({ stopReason: 'max_turn_requests' })
  expect(model.requests).toHaveLength(1)
  expect(agent.text('agent_message_chunk')).toContain('0.5 US dollars')
})
