/**
 * How long until a session can be prompted, against `docker run -i` of the same image with the same
 * agent started directly. Both in one run, alternating; prints medians and the ratio.
 *
 *   node bench/session-start.ts [ROUNDS]
 *
 * Needs the docker command for the comparison; images as `npm test` leaves them.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import { lockEntry, readLock } from '../src/images/lock.ts'
import { statePaths } from '../src/state.ts'
import { type Editor, INITIALIZE } from '../test/support/e2e/editor.ts'
import { World } from '../test/support/e2e/world.ts'

const rounds = Number(process.argv[2] ?? 7)
await using world = await World.open()
const lock = await readLock(statePaths(world.env).lock)
const image = lockEntry(lock, world.engine.info.uri, 'agent-bundled')?.id ?? ''

const bare: number[] = []
const whole: number[] = []
const initialize: number[] = []
const sessionNew: number[] = []
const warm: number[] = []

for (let round = 0; round <= rounds; round += 1) {
  const bareTime = await dockerRun()
  const ours = await glovebox()
  const later = await glovebox(1_500)
  if (round === 0) continue // the first of each warms caches
  bare.push(bareTime)
  whole.push(ours.whole)
  initialize.push(ours.initialize)
  sessionNew.push(ours.sessionNew)
  warm.push(later.sessionNew)
}

report('docker run -i, spawn to session/new answered', bare)
report('glovebox acp, spawn to session/new answered', whole)
report('glovebox acp, spawn to initialize answered', initialize)
report('glovebox acp, session/new at once', sessionNew)
report('glovebox acp, session/new 1.5 s after initialize', warm)
const ratio = (times: number[]): string => (median(times) / median(bare)).toFixed(2)
print(`ratio to docker run -i: spawn to session ${ratio(whole)}, session/new later ${ratio(warm)}`)

/** The agent alone in a container, as a raw pipe would start it. */
async function dockerRun(): Promise<number> {
  const start = performance.now()
  const child = spawn(
    'docker',
    [
      'run',
      '-i',
      '--rm',
      '--network',
      'none',
      '--entrypoint',
      'node',
      '-e',
      'GLOVEBOX_PROVIDER=anthropic',
      '-e',
      'GLOVEBOX_MODEL=m',
      '-e',
      'GLOVEBOX_BASE_URL=http://127.0.0.1:9',
      '-e',
      'GLOVEBOX_API_KEY=k',
      '-v',
      `${world.project}:${world.project}`,
      image,
      '/opt/glovebox/agent.mjs',
    ],
    {
      env: { ...process.env, DOCKER_HOST: world.engine.info.uri },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const ask = asker(child.stdin, child.stdout)
  await ask('initialize', INITIALIZE)
  await ask('session/new', { cwd: world.project, mcpServers: [] })
  const time = performance.now() - start
  child.stdin.end()
  await new Promise((resolve) => child.once('exit', resolve))
  return time
}

async function glovebox(
  idle = 0,
): Promise<{ whole: number; initialize: number; sessionNew: number }> {
  const start = performance.now()
  await using editor: Editor = world.editor()
  await editor.ok('initialize', INITIALIZE)
  const initialized = performance.now() - start
  await new Promise((resolve) => setTimeout(resolve, idle))
  const answered = performance.now()
  await editor.ok('session/new', { cwd: world.project, mcpServers: [] })
  const ready = performance.now()
  return { whole: ready - start, initialize: initialized, sessionNew: ready - answered }
}

function asker(
  stdin: Writable,
  stdout: Readable,
): (method: string, params: unknown) => Promise<void> {
  const lines = createInterface({ input: stdout })
  let id = 0
  return (method, params) =>
    new Promise((resolve) => {
      id += 1
      const wanted = id
      const look = (line: string): void => {
        if ((JSON.parse(line) as { id?: number }).id !== wanted) return
        lines.off('line', look)
        resolve()
      }
      lines.on('line', look)
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: wanted, method, params })}\n`)
    })
}

function report(name: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const show = (n: number | undefined): string => `${Math.round(n ?? 0)} ms`
  print(
    `${name.padEnd(48)} median ${show(median(times))}, min ${show(sorted[0])}, max ${show(sorted.at(-1))}`,
  )
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
