import { expect, test } from 'vitest'

import { bareAgent, startAgent } from '../../support/agent/agent-process.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

test.for([1, 0, 2, 65_535])(
  '[init.version] a request for protocol version %i is answered with 1',
  async (asked) => {
    await using agent = await bareAgent()
    expect((await agent.initialize(asked)).protocolVersion).toBe(1)
  },
)

test('[init.caps] [init.info] the capabilities are the ones that are true, and the agent says who it is', async () => {
  await using agent = await bareAgent()
  const answer = await agent.initialize()
  expect(answer.agentInfo).toEqual({
    name: 'glovebox',
    title: 'Glovebox',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  })
  expect(answer.agentCapabilities).toMatchObject({
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: false, sse: false },
    sessionCapabilities: { close: {} },
  })
  expect(answer.authMethods).toEqual([])
})

test('[auth.authenticate] authenticate is answered with {} when the model is set, else with what is missing', async () => {
  await using model = await scriptedModel()
  await using ready = await startAgent({ model })
  expect(await ready.agent.request('authenticate', { methodId: 'anything' })).toEqual({})
  await using bare = await startAgent()
  await expect(bare.agent.request('authenticate', { methodId: 'anything' })).rejects.toMatchObject({
    code: -32_000,
    message: expect.stringContaining('GLOVEBOX_PROVIDER is not set'),
  })
})

test('an unknown method is an error that names it', async () => {
  await using agent = await startAgent()
  await expect(agent.agent.request('_other/thing', {})).rejects.toMatchObject({
    code: -32_601,
    message: expect.stringContaining('_other/thing'),
  })
})

test('[session.fork] [init.caps] what is not offered does not exist', async () => {
  await using agent = await startAgent()
  const params = { sessionId: 'x', cwd: '/', mcpServers: [] }
  await expect(agent.agent.request('session/fork', params)).rejects.toMatchObject({
    code: -32_601,
  })
})
