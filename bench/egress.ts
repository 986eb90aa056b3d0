/**
 * How quickly the border passes what it lets through, against other forward proxies: the same run,
 * the same origin, the same client. Prints medians, and our ratio to each.
 *
 *   node bench/egress.ts [ROUNDS]
 *
 * Needs the bundle (`npm run build`), squid and tinyproxy (Debian's packages; `BENCH_SQUID` and
 * `BENCH_TINYPROXY` name other places), and npm for the two that are Node programs.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import * as contenders from './egress/contenders.ts'
import * as load from './egress/load.ts'

const PEERS = ['proxy-chain@3.0.1', '@anthropic-ai/sandbox-runtime@0.0.83']
const SECONDS = 2
const MEGABYTES = 400
/** Milliseconds after which each has started. */
const SETTLED = 1_500
const IDLE_TUNNELS = 1_000

const FIGURES = [
  ['requests/s', 'more'],
  ['request p50, ms', 'less'],
  ['request p99, ms', 'less'],
  ['tunnels/s', 'more'],
  ['MB/s in a tunnel', 'more'],
  ['start, ms', 'less'],
  ['MB at rest', 'less'],
  ['MB with 1000 idle tunnels', 'less'],
] as const

type Figure = (typeof FIGURES)[number][0]
type Figures = Partial<Record<Figure, number>>

const rounds = Number(process.argv[2] ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'gb-bench-'))
const root = join(import.meta.dirname, '..')
const originProcess = spawn(
  process.execPath,
  [fileURLToPath(import.meta.resolve('./egress/origin.ts'))],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
try {
  const [line]: unknown[] = await once(originProcess.stdout, 'data')
  const origin: load.Origin = JSON.parse(String(line))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PEERS], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await run({ folder, root, origin })
} finally {
  originProcess.kill()
  rmSync(folder, { recursive: true, force: true })
}

async function run(place: contenders.Place): Promise<void> {
  const all: [string, contenders.Start][] = [
    ['glovebox', contenders.glovebox],
    ['glovebox through init', contenders.throughInit],
    ['squid', contenders.squid],
    ['tinyproxy', contenders.tinyproxy],
    ['proxy-chain', contenders.proxyChain],
    ['sandbox-runtime', contenders.sandboxRuntime],
  ]
  const results = new Map<string, Figures[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, start] of all) {
      const figures = await measure(place, start).catch((error: unknown) => {
        print(`${name}: ${error instanceof Error ? error.message : String(error)}`)
        return {}
      })
      results.set(name, [...(results.get(name) ?? []), figures])
    }
  }
  report(new Map([...results].map(([name, figures]) => [name, medians(figures)])))
}

async function measure(place: contenders.Place, start: contenders.Start): Promise<Figures> {
  const { origin } = place
  const atRest = await restingMegabytes(place, start)
  const started = performance.now()
  await using contender = await start(place)
  const { door, pid } = contender
  await untilAnswers(door, origin)
  const ready = performance.now() - started
  await load.measureRequests(door, origin, 0.5)
  const requests = await load.measureRequests(door, origin, SECONDS)
  const tunnels = await load.measureTunnels(door, origin, SECONDS)
  const throughput = await load.measureThroughput(door, origin, MEGABYTES)
  const idle = await load.openTunnels(door, origin, IDLE_TUNNELS)
  const withTunnels = residentMegabytes(pid)
  for (const socket of idle) load.reset(socket)
  return {
    'requests/s': requests.perSecond,
    'request p50, ms': requests.p50,
    'request p99, ms': requests.p99,
    'tunnels/s': tunnels.perSecond,
    'MB/s in a tunnel': throughput,
    'start, ms': ready,
    'MB at rest': atRest,
    'MB with 1000 idle tunnels': withTunnels,
  }
}

/** Before any request. */
async function restingMegabytes(place: contenders.Place, start: contenders.Start): Promise<number> {
  await using contender = await start(place)
  await new Promise((resolve) => setTimeout(resolve, SETTLED))
  return residentMegabytes(contender.pid)
}

async function untilAnswers(door: load.Door, origin: load.Origin): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      await load.measureRequests(door, origin, 0.001)
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Of a process and of those it started. */
function residentMegabytes(pid: number): number {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return Number.NaN
  const own = Number(/VmRSS:\s*(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1_000
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const pids = children === '' ? [] : children.split(' ').map(Number)
  return pids.reduce((sum, child) => sum + residentMegabytes(child), own)
}

function medians(all: Figures[]): Figures {
  return Object.fromEntries(FIGURES.map(([name]) => [name, median(all.map((one) => one[name]))]))
}

function median(values: (number | undefined)[]): number {
  const numbers = values.filter((value) => value !== undefined)
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function report(results: Map<string, Figures>): void {
  const ours = results.get('glovebox') ?? {}
  for (const [figure, better] of FIGURES) {
    print(`\n${figure} (${better} is better)`)
    for (const [name, figures] of results) {
      const value = figures[figure] ?? Number.NaN
      const ratio = ((ours[figure] ?? Number.NaN) / value).toFixed(2)
      print(`  ${name.padEnd(22)} ${value.toFixed(1).padStart(9)}   glovebox is ${ratio} × that`)
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
