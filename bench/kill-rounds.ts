/**
 * Starts sessions and kills the launcher with SIGKILL at a random moment, many times. Afterwards
 * one more launcher starts, and nothing of the killed ones may be left. Exits with 1 when there is.
 *
 *   node bench/kill-rounds.ts [ROUNDS] [SEED] [AT_ONCE]
 */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { useAgent } from '../test/support/e2e/other-agent.ts'
import { launcherWith } from '../test/support/e2e/own-profile.ts'
import { World } from '../test/support/e2e/world.ts'
import { killRound, randomFrom, type Round } from '../test/support/faults/kill-rounds.ts'
import { isNothing, leftAfter, leftOf } from '../test/support/faults/left.ts'

/** Everything of a killed launcher has stopped after this long, in ms. */
const BOUND = 5_000

const [count = 100, seed = Date.now() % 1e9, atOnce = 2] = process.argv.slice(2).map(Number)
const print = (line: string): unknown => process.stdout.write(`${line}\n`)

await using world = await World.open()
await useAgent(world, 'echo.mjs')
const program = await launcherWith(world.folder, {})
const random = randomFrom(seed)
const rounds: Round[] = []
let started = 0

print(`${count} rounds, seed ${seed}, ${atOnce} at once`)
await Promise.all(Array.from({ length: atOnce }, worker))
await finish()

async function worker(): Promise<void> {
  while (started < count) {
    started += 1
    const round = await killRound(world, random, BOUND, program)
    rounds.push(round)
    if (round.running > 0) print(`still running: ${JSON.stringify(round)}`)
    if (rounds.length % 50 === 0) print(`${rounds.length} rounds`)
  }
}

async function finish(): Promise<void> {
  const pids = rounds.map(({ pid }) => pid)
  const before = await leftOf(world.engine, pids)
  await using next = world.editor({ program })
  await next.open(world.project)
  const { left } = await leftAfter(world.engine, pids, 10_000, isNothing)
  const alive = pids.filter((pid) => readdirSync('/proc').includes(String(pid)))
  const times = rounds.map(({ took }) => took).toSorted((a, b) => a - b)
  const at = (part: number): string => (times[Math.ceil(part * times.length) - 1] ?? 0).toFixed(0)
  print(`sessions that were open when killed: ${rounds.filter(({ open }) => open).length}`)
  print(`until nothing ran: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`)
  print(`left before the next start: ${JSON.stringify(before)}; after: ${JSON.stringify(left)}`)
  print(`launcher processes left: ${alive.length}`)
  const late = rounds.filter(({ running }) => running > 0).length
  print(`rounds in which something ran for longer than ${BOUND} ms: ${late}`)
  if (late > 0 || !isNothing(left) || alive.length > 0) process.exitCode = 1
  next.child.stdin?.end()
  await Promise.race([next.exited, sleep(10_000)])
}
