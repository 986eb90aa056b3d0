/** Ends a session from outside its launcher, by the same rungs: SIGTERM to init, then SIGKILL. */
import { setTimeout as sleep } from 'node:timers/promises'

import type { Engine } from '../docker/engine.ts'
import { DEFAULT_GRACE } from './cancel-ladder.ts'
import { LABEL } from './labels.ts'
import type { ListedSession } from './listing.ts'

/** How long the session's launcher may take to remove the border after the agent, in ms. */
const BORDER_BOUND = 2_000
const LOOK_EVERY = 100

/** `killed`: it did not end when it was asked to. */
export type Stopped = 'ended' | 'killed'

/**
 * Resolves when the agent's container and its egress proxy are gone; within 6 s and what the engine
 * takes for two calls. Errors: `engine_failed`.
 */
export async function stopSession(engine: Engine, listed: ListedSession): Promise<Stopped> {
  const agent = engine.container(listed.container)
  const border = await borderOf(engine, listed.container)
  if (listed.state === 'running') await agent.kill('SIGTERM')
  const ended = await goneWithin(engine, listed.container, DEFAULT_GRACE.grace3_ms)
  // SIGKILL and removal in one; no error when it is gone.
  if (!ended) await agent.remove()
  if (border !== undefined && !(await goneWithin(engine, border, BORDER_BOUND))) {
    await engine.container(border).remove()
  }
  return ended ? 'ended' : 'killed'
}

/** The proxy whose volume the agent has. */
async function borderOf(engine: Engine, agent: string): Promise<string | undefined> {
  try {
    const { HostConfig: host } = await engine.container(agent).inspect()
    const from: unknown = Array.isArray(host['VolumesFrom']) ? host['VolumesFrom'][0] : undefined
    const id = typeof from === 'string' ? from.split(':')[0] : undefined
    const proxies = await engine.list(`${LABEL.role}=proxy`)
    return proxies.find((proxy) => proxy.id === id)?.id
  } catch {
    // It ended in this moment.
    return undefined
  }
}

async function goneWithin(engine: Engine, id: string, bound: number): Promise<boolean> {
  const end = performance.now() + bound
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- it is looked at until it is gone
    const all = await engine.list(LABEL.any)
    if (!all.some((one) => one.id === id)) return true
    if (performance.now() > end) return false
    // oxlint-disable-next-line no-await-in-loop -- as above
    await sleep(LOOK_EVERY)
  }
}
