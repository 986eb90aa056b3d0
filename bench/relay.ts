/**
 * What the relay costs: round trips and floods through `glovebox acp`, against a plain attach to a
 * container of the same image. Both in one run; prints medians, percentiles and ratios.
 *
 *   node bench/relay.ts [ROUND_TRIPS]
 */
import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

import { LineFramer } from '../src/acp/line-framer.ts'
import { readLock, lockEntry } from '../src/images/lock.ts'
import { statePaths } from '../src/state.ts'
import { bareContainer } from '../test/support/e2e/bare-container.ts'
import { PROGRAM } from '../test/support/e2e/editor.ts'
import { useAgent } from '../test/support/e2e/other-agent.ts'
import { World } from '../test/support/e2e/world.ts'

type Ask = (method: string, params: object) => Promise<void>
type Peer = { ask: Ask; bytes: () => number }

const trips = Number(process.argv[2] ?? 3_000)
await using world = await World.open()
await useAgent(world, 'echo.mjs')

const lock = await readLock(statePaths(world.env).lock)
const image = lockEntry(lock, world.engine.info.uri, 'agent-bundled')?.id ?? ''
const created = await world.engine.create({
  ...bareContainer({
    image,
    user: '1234:1234',
    labels: { 'glovebox-test': '1' },
    memory: 2 ** 30,
    pids: 128,
    cpus: 2,
  }),
  Entrypoint: ['tini', '-s', '--', 'node', '/opt/glovebox/agent.mjs'],
})
const streams = await created.attach()
await created.start()
const raw = peer(streams.stdin, streams.stdout)

const child = spawn(process.execPath, [PROGRAM, 'acp'], {
  env: world.env,
  stdio: ['pipe', 'pipe', 'inherit'],
})
const relayed = peer(child.stdin, child.stdout)
await relayed.ask('initialize', { protocolVersion: 1 })
await relayed.ask('session/new', { cwd: world.project, mcpServers: [] })

const rawTimes = await roundTrips(raw)
const relayTimes = await roundTrips(relayed)
line('round trip, plain attach', rawTimes)
line('round trip, glovebox acp', relayTimes)
const added = (at: number): string =>
  `${Math.round((quantile(relayTimes, at) - quantile(rawTimes, at)) * 1000)} µs`
print(`added by the relay: p50 ${added(0.5)}, p99 ${added(0.99)}`)

for (const [count, size] of [
  [50_000, 100],
  [20, 20_000_000],
] as const) {
  const rawRate = await flood(raw, count, size)
  const relayRate = await flood(relayed, count, size)
  print(
    `${count} frames of ${size} bytes: plain attach ${rate(count, rawRate)}, glovebox acp ${rate(count, relayRate)}, ratio ${(relayRate.seconds / rawRate.seconds).toFixed(2)}`,
  )
}
streams.destroy()
child.stdin.end()
await new Promise((resolve) => child.once('exit', resolve))

function peer(stdin: Writable, stdout: Readable): Peer {
  let id = 1_000_000
  let bytes = 0
  const waiting = new Map<number, () => void>()
  const framer = new LineFramer(64 * 1024 * 1024)
  stdout.on('data', (chunk: Buffer | string) => {
    bytes += chunk.length
    for (const frame of framer.push(Buffer.from(chunk))) {
      if (frame.kind === 'oversize' || frame.bytes.length > 10_000) continue
      const text = frame.bytes.toString()
      if (text.includes('session/update')) continue
      const { id: answered }: { id?: number } = JSON.parse(text)
      if (answered !== undefined) waiting.get(answered)?.()
    }
  })
  return {
    bytes: () => bytes,
    ask: (method, params) =>
      new Promise((resolve) => {
        id += 1
        waiting.set(id, resolve)
        stdin.write(
          `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { sessionId: 'sess_echo', ...params } })}\n`,
        )
      }),
  }
}

async function roundTrips({ ask }: Peer): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < trips + 200; n += 1) {
    const start = performance.now()
    await ask('_bench/echo', { text: 'x'.repeat(200) })
    if (n >= 200) times.push(performance.now() - start)
  }
  return times.toSorted((a, b) => a - b)
}

async function flood(
  { ask, bytes }: Peer,
  count: number,
  size: number,
): Promise<{ seconds: number; bytes: number }> {
  const before = bytes()
  const start = performance.now()
  await ask('_bench/flood', { count, size })
  return { seconds: (performance.now() - start) / 1000, bytes: bytes() - before }
}

function rate(count: number, { seconds, bytes }: { seconds: number; bytes: number }): string {
  return `${Math.round(count / seconds)} frames/s (${Math.round(bytes / seconds / 1e6)} MB/s)`
}

function line(name: string, times: number[]): void {
  const show = (at: number): string => `${quantile(times, at).toFixed(3)} ms`
  print(`${name.padEnd(28)} p50 ${show(0.5)}, p99 ${show(0.99)}`)
}

function quantile(sorted: number[], at: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
