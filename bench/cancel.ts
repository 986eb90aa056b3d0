/**
 * How long a cancel takes: from `session/cancel` to the prompt's answer, and to the death of what
 * the turn had started, seen from the engine's host. Prints p50, p99 and the largest, in ms.
 *
 *   node bench/cancel.ts [ROUNDS]      as root on the engine's host
 */
import { setTimeout as sleep } from 'node:timers/promises'

import { choose, type Editor, type EditorOptions } from '../test/support/e2e/editor.ts'
import { useAgent } from '../test/support/e2e/other-agent.ts'
import { World } from '../test/support/e2e/world.ts'
import { livesOnHost } from '../test/support/faults/host-processes.ts'

type Turn = {
  name: string
  agent?: 'turns' | 'bundled' | 'claude'
  prompt: string
  /** A text of the command line of what the turn starts. */
  process?: string
  /** A text that is seen when there is no process to wait for. */
  seen?: string
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
  {
    name: 'Claude Code, in a tool',
    agent: 'claude',
    prompt: 'demo: run tail -f /dev/null',
    process: 'tail -f',
  },
  { name: 'Claude Code, in mid-stream', agent: 'claude', prompt: 'demo: slow 60', seen: 'word-3' },
]

async function until(seen: () => boolean, every = 2): Promise<void> {
  while (!seen()) await sleep(every)
}

async function round(editor: Editor, session: string, turn: Turn): Promise<[number, number]> {
  const { process: started, seen = '' } = turn
  const before = editor.updates.length
  const prompt = editor.prompt(session, turn.prompt)
  const said = (): boolean => JSON.stringify(editor.updates.slice(before)).includes(seen)
  await until(started === undefined ? said : () => livesOnHost(started), 10)
  const begun = performance.now()
  editor.notify('session/cancel', { sessionId: session })
  const dead =
    started === undefined
      ? undefined
      : until(() => !livesOnHost(started)).then(() => performance.now())
  const { stopReason } = await prompt
  const answered = performance.now()
  if (stopReason !== 'cancelled') throw new Error(`${turn.name}: ${String(stopReason)}`)
  return [answered - begun, ((await dead) ?? begun) - begun]
}

async function measure(world: World, turn: Turn): Promise<void> {
  const answers: number[] = []
  const deaths: number[] = []
  const options: Partial<EditorOptions> = {
    args: turn.agent === 'claude' ? ['--agent', 'claude'] : [],
    onQuestion: choose('allow_once'),
  }
  for (let n = 0; n < (turn.rounds ?? rounds); n += 1) {
    await using editor = world.editor(options)
    const session = await editor.open(world.project, 90_000)
    if (turn.agent === 'claude') {
      await editor.ok('session/set_mode', { sessionId: session, modeId: 'default' })
    }
    const [answered, dead] = await round(editor, session, turn)
    answers.push(answered)
    deaths.push(dead)
  }
  const died = turn.process === undefined ? '' : `   dead ${summary(deaths)}`
  process.stdout.write(`${turn.name.padEnd(32)} answer ${summary(answers)}${died}\n`)
}

function summary(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? NaN
  const [half, most, worst] = [at(0.5), at(0.99), at(1)].map((time) => time.toFixed(0).padStart(5))
  return `p50 ${half} p99 ${most} max ${worst}`
}

for (const agent of ['turns', 'bundled', 'claude'] as const) {
  await using world = await World.open()
  if (agent === 'turns') await useAgent(world, 'turns.mjs')
  for (const turn of TURNS.filter(({ agent: of = 'turns' }) => of === agent)) {
    await measure(world, turn)
  }
}
