import { INITIALIZE } from '../e2e/editor.ts'
/** Starts of a session whose launcher is killed at a random moment, by a seed that can be repeated. */
import type { World } from '../e2e/world.ts'
import { leftAfter, nothingRuns } from './left.ts'

/** In ms after the launcher's start: from before it has an engine until the session is open. */
const LATEST = 1_500

/** mulberry32: a small generator with a seed; numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Round = {
  pid: number
  /** When it was killed, in ms after its start. */
  at: number
  /** Whether the session was open by then. */
  open: boolean
  /** From the kill until nothing of it ran, in ms. */
  took: number
  /** Containers that still ran at the bound. */
  running: number
}

/** One round; `bound` is how long anything may still run, in ms. */
export async function killRound(
  world: World,
  random: () => number,
  bound: number,
  program?: string,
): Promise<Round> {
  const at = random() * LATEST
  const editor = world.editor(program === undefined ? {} : { program })
  const pid = editor.child.pid ?? 0
  let open = false
  const opening = editor
    .call('initialize', INITIALIZE)
    .then(() => editor.call('session/new', { cwd: world.project, mcpServers: [] }))
    .then(({ result }) => (open = result !== undefined))
  await new Promise((resolve) => setTimeout(resolve, at))
  const wasOpen = open
  editor.child.kill('SIGKILL')
  await Promise.allSettled([editor.exited, opening])
  const { left, took } = await leftAfter(world.engine, [pid], bound, nothingRuns)
  return { pid, at, open: wasOpen, took, running: left.running }
}
