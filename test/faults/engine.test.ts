import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { useAgent } from '../support/e2e/other-agent.ts'
import { World } from '../support/e2e/world.ts'
import { livesOnHost } from '../support/faults/host-processes.ts'
import { leftAfter, NOTHING } from '../support/faults/left.ts'
import { OwnEngine } from '../support/faults/own-engine.ts'

/** Killing the engine is no end of input: heartbeats end what runs, within this, in ms. */
const HEARTBEAT_BOUND = 15_000

let engine: OwnEngine
let world: World

beforeAll(async () => {
  engine = await OwnEngine.start()
  world = await World.open({ engine: engine.uri })
  await useAgent(world, 'turns.mjs')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})

describe('[G-REAP] an engine that is', () => {
  test.for(['SIGKILL', 'SIGTERM'] as const)(
    'ended by %s in mid-turn: the user is told, nothing runs on, and the next start leaves nothing',
    async (signal) => {
      const editor = world.editor()
      const sessionId = await editor.open(world.project)
      const prompt = [{ type: 'text', text: 'daemon 6500' }]
      const answer = editor.call('session/prompt', { sessionId, prompt })
      await expect.poll(() => livesOnHost('sleep 6500'), { timeout: 10_000 }).toBe(true)
      engine.signal(signal)
      const { error } = await answer
      expect(error?.message).toMatch(/connection .* broke|ended|killed/)
      expect(error?.message).toContain('Start a new session')
      await expect
        .poll(() => livesOnHost('sleep 6500'), { timeout: HEARTBEAT_BOUND, interval: 200 })
        .toBe(false)
      const pid = editor.child.pid ?? 0
      editor.child.stdin?.end()
      expect(await editor.exited).toBe(0)
      await sleep(500)
      await engine.run()
      await using next = world.editor()
      await next.open(world.project)
      const { left } = await leftAfter(world.engine, [pid], 10_000)
      expect(left).toEqual(NOTHING)
    },
  )
})
