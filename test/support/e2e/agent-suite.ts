/** What holds for every agent with an image of its own. */
import { describe, expect, it } from 'vitest'

import type { GatewayPreset } from '../../../egress-proxy/policy.ts'
import { loadProfile } from '../../../src/agents/profile.ts'
import { INITIALIZE } from './editor.ts'
import { editorWith, ownInitialize, SLOW, worldFor } from './real-agent.ts'
import { search } from './search.ts'
import type { World } from './world.ts'

export type AgentCase = {
  agent: string
  preset: GatewayPreset
  /** Where its model requests go. */
  path: string
  /** Hosts it tries by itself, in vain. */
  tries: RegExp[]
}

export function describeAgent({ agent, preset, path, tries }: AgentCase): void {
  describe(`${agent} in its own image, with a model of the preset ${preset}`, () => {
    it('runs a command after asking; the model sees the real key, and the container never has it', async () => {
      await using world = await worldFor(preset)
      await using editor = editorWith(world, agent)
      const session = await editor.open(world.project, SLOW)
      const { stopReason } = await editor.prompt(session, 'demo: run touch made.txt', SLOW)
      expect(stopReason).toBe('end_turn')
      expect(await world.read('made.txt')).toBe('')
      expect(editor.questions.map(({ method }) => method)).toEqual(['session/request_permission'])
      expect(editor.noise).toEqual([])

      const requests = (await world.outside.modelRequests()).filter(
        ({ type }) => type === 'request',
      )
      expect(requests.length).toBeGreaterThan(1)
      for (const request of requests) expect(request).toMatchObject({ path, key: 'match' })
      const [container] = await world.engine.list(`glovebox.project=${world.project}`)
      expect(await search(world.engine, container?.id ?? '', world.outside.key)).toEqual({
        inspect: false,
        environment: false,
        files: false,
        memory: false,
      })
    })

    it('is what its profile says, and reaches for no host that is not known', async () => {
      await using world = await worldFor(preset)
      await using editor = editorWith(world, agent)
      const session = await editor.open(world.project, SLOW)
      await editor.prompt(session, 'demo: read README.md', SLOW)
      const { agentInfo, agentCapabilities } = loadProfile(agent).initialize
      const own = await ownInitialize(world, agent)
      expect(own.agentInfo).toEqual(agentInfo)
      expect(own.agentCapabilities['promptCapabilities']).toEqual(
        agentCapabilities['promptCapabilities'],
      )
      // The launcher says what crosses the boundary, which is never more than the agent has.
      const { loadSession, sessionCapabilities } = agentCapabilities
      expect(own.agentCapabilities).toMatchObject({
        ...(loadSession === true ? { loadSession } : {}),
        ...(sessionCapabilities === undefined ? {} : { sessionCapabilities }),
      })

      const records = await world.audit()
      const closed = records.filter((record) => record['usage'] !== undefined)
      expect(closed.length).toBeGreaterThan(0)
      const denied = records.filter((record) => record['verdict'] === 'deny')
      const hosts = denied.map((record) => String(record['host']))
      expect(hosts.filter((host) => !tries.some((known) => known.test(host)))).toEqual([])
    })

    it('leaves undone what is refused, and stops in the middle of a reply', async () => {
      await using world = await worldFor(preset)
      await using editor = editorWith(world, agent, 'reject_once')
      const session = await editor.open(world.project, SLOW)
      await editor.prompt(session, 'demo: run touch refused.txt', SLOW)
      await expect(world.read('refused.txt')).rejects.toThrow('ENOENT')
      expect(editor.questions).toHaveLength(1)

      const slow = editor.prompt(session, 'demo: slow 600', SLOW)
      await editor.until(() => editor.text.includes('word-3'), 'the third word', SLOW)
      const cancelled = performance.now()
      editor.notify('session/cancel', { sessionId: session })
      expect(await slow).toMatchObject({ stopReason: 'cancelled' })
      expect(performance.now() - cancelled).toBeLessThan(5_000)
    })
  })
}

/** For agents that keep their sessions in the project's volume. */
export function describeKeptSessions({ agent, preset }: Pick<AgentCase, 'agent' | 'preset'>): void {
  const { sessionCapabilities } = loadProfile(agent).initialize.agentCapabilities
  const lists = JSON.stringify(sessionCapabilities ?? {}).includes('"list"')
  describe(`sessions of ${agent}`, () => {
    it(`are ${lists ? 'listed and ' : ''}loaded by a later launcher, and go on there`, async () => {
      await using world = await worldFor(preset)
      const id = await toldOnce(world, agent)
      await using editor = editorWith(world, agent)
      await editor.ok('initialize', INITIALIZE)
      const listed = await editor.call('session/list', { cwd: world.project }, SLOW)
      expect(listed).toMatchObject(
        lists
          ? { result: { sessions: [{ sessionId: id, cwd: world.project }] } }
          : { error: { code: -32601 } },
      )
      const load = { sessionId: id, cwd: world.project, mcpServers: [] }
      await editor.ok('session/load', load, SLOW)
      // Gemini CLI answers first and tells the history after it.
      const told = (): boolean => JSON.stringify(editor.updates).includes('touch first.txt')
      await editor.until(told, 'the history', SLOW)
      await editor.prompt(id, 'demo: run touch second.txt', SLOW)
      expect(await world.read('second.txt')).toBe('')
    })
  })
}

/** One turn in a launcher of its own; the session's id. */
async function toldOnce(world: World, agent: string): Promise<string> {
  await using editor = editorWith(world, agent)
  const id = await editor.open(world.project, SLOW)
  await editor.prompt(id, 'demo: run touch first.txt', SLOW)
  return id
}
