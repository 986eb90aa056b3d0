/**
 * How long a cancel takes: from `session/cancel` to the prompt's answer, and to the death of what
 * the turn had started, seen from the engine's host. Prints p50, p99 and the largest, in ms.
 *
 *   node bench/cancel.ts [ROUNDS] [AGENT]     as root on the engine's host
 */
import { setTimeout as sleep } from 'node:timers/promises'

import { choose, type Editor } from '../test/support/e2e/editor.ts'
import { useAgent } from '../test/support/e2e/other-agent.ts'
import { worldFor } from '../test/support/e2e/real-agent.ts'
import { World } from '../test/support/e2e/world.ts'
import { livesOnHost } from '../test/support/faults/host-processes.ts'

type Turn = {
  name: string
  agent?: 'turns' | 'bundled' | 'claude' | 'gemini'
  prompt: string
  /** A text of the command line of what the turn starts. */
  process?: string
  /** A text that is seen when there is no process to wait for. */
  seen?: string
  /** The model does not answer. */
  hangs?: true
  /** Each round has a session of its own; so many rounds. */
  rounds?: number
}

const rounds = Number(process.argv[2] ?? 20)
const TURNS: Turn[] = [
  { name: 'polite child', prompt: 'sh exec sleep 7001', process: 'sleep 7001' },
  { name: 'child deaf to INT and TERM', prompt: 'child 7002', process: 'sleep 7002' },
  { name: 'deaf daemon', prompt: 'daemon 7003', process: 'sleep 7003' },
  {
    name: 'agent that ignores the cancel',
    prompt: 'on-cancel-deaf\ndaemon 7004',
    process: 'sleep 7004',
    rounds: 5,
  },
  {
    name: 'bundled, in a tool',
    agent: 'bundled',
    prompt: 'demo: run sleep 7005',
    process: 'sleep 7005',
  },
  { name: 'bundled, in mid-stream', agent: 'bundled', prompt: 'demo: slow 60', seen: 'word-3' },
  // The demo model takes an interrupted prompt and the next for one, so each needs a new session.
  ...(['claude', 'gemini'] as const).flatMap((agent): Turn[] => [
    {
      name: `${agent}, in a tool`,
      agent,
      prompt: 'demo: run tail -f /dev/null',
      process: 'tail -f',
      rounds,
    },
    { name: `${agent}, in mid-stream`, agent, prompt: 'demo: slow 60', seen: 'word-3', rounds },
    { name: `${agent}, its model hangs`, agent, prompt: 'demo: slow 60', hangs: true, rounds },
  ]),
]

async function until(seen: () => boolean, every = 2): Promise<void> {
  while (!seen()) await sleep(every)
}

async function round(
  world: World,
  editor: Editor,
  session: string,
  turn: Turn,
): Promise<[number, number]> {
  const { process: started, seen = '', hangs } = turn
  const before = editor.updates.length
  if (hangs) await world.outside.hangModel(true)
  const prompt = editor.prompt(session, turn.prompt)
  const said = (): boolean => JSON.stringify(editor.updates.slice(before)).includes(seen)
  await until(started === undefined ? said : () => livesOnHost(started), 10)
  // Long enough for the request to reach the model.
  if (hangs) await sleep(1_500)
  const begun = performance.now()
  editor.notify('session/cancel', { sessionId: session })
  const dead =
    started === undefined
      ? undefined
      : until(() => !livesOnHost(started)).then(() => performance.now())
  const { stopReason } = await prompt
  const answered = performance.now()
  if (hangs) await world.outside.hangModel(false)
  if (stopReason !== 'cancelled') throw new Error(`${turn.name}: ${String(stopReason)}`)
  return [answered - begun, ((await dead) ?? begun) - begun]
}

async function measure(world: World, turn: Turn): Promise<void> {
  const answers: number[] = []
  const deaths: number[] = []
  const each = turn.rounds === undefined ? rounds : 1
  for (let n = 0; n < (turn.rounds ?? 1); n += 1) {
    for (const [answered, dead] of await inOneSession(world, turn, each)) {
      answers.push(answered)
      deaths.push(dead)
    }
  }
  const died = turn.process === undefined ? '' : `   dead ${summary(deaths)}`
  process.stdout.write(`${turn.name.padEnd(32)} answer ${summary(answers)}${died}\n`)
}

async function inOneSession(world: World, turn: Turn, count: number): Promise<[number, number][]> {
  const { agent } = turn
  const real = agent === 'claude' || agent === 'gemini'
  const args = real ? ['--agent', agent] : []
  await using editor = world.editor({ args, onQuestion: choose('allow_once') })
  const session = await editor.open(world.project, 90_000)
  if (agent === 'claude') {
    await editor.ok('session/set_mode', { sessionId: session, modeId: 'default' })
  }
  const times: [number, number][] = []
  while (times.length < count) times.push(await round(world, editor, session, turn))
  return times
}

function summary(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? NaN
  const [half, most, worst] = [at(0.5), at(0.99), at(1)].map((time) => time.toFixed(0).padStart(5))
  return `p50 ${half} p99 ${most} max ${worst}`
}

const only = process.argv[3]
for (const agent of ['turns', 'bundled', 'claude', 'gemini'] as const) {
  if (only !== undefined && only !== agent) continue
  await using world = await (agent === 'gemini' ? worldFor('gemini') : World.open())
  if (agent === 'turns') await useAgent(world, 'turns.mjs')
  for (const turn of TURNS.filter(({ agent: of = 'turns' }) => of === agent)) {
    await measure(world, turn)
  }
}
