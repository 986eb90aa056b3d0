/** Ends what a cancelled turn started, and tells what that was. */
import { setTimeout as sleep } from 'node:timers/promises'

import type { EndedProcess } from './messages.ts'
import { type Process, type Scan, commandOf, scan } from './processes.ts'
import { type Mark, markOf, matches, nameOf, strays } from './strays.ts'

/** Milliseconds from SIGINT to SIGTERM. */
const TERM_AFTER = 250
/** Milliseconds from SIGINT to SIGKILL. */
const KILL_AFTER = 750
/** Milliseconds from SIGINT until everything is stopped, so that nothing outruns the last SIGKILL. */
const FREEZE_AFTER = 1_000
/** Milliseconds until a reap that could not end everything gives up. */
const GIVE_UP_AFTER = 1_300
/** Milliseconds between two looks. */
const LOOK_EVERY = 25

type Reaped = {
  processes: EndedProcess[]
  /** How many could not be ended. */
  left: number
}

type Reaper = {
  /** Notes what runs; after a reap that is under way. `helpers` are patterns of command lines. */
  mark: (helpers: string[]) => Promise<void>
  /** Ends what was started since the mark; one reap after another. Nothing without a mark. */
  reap: () => Promise<Reaped>
}

/** The signal for strays at this many milliseconds after a reap began. */
function signalAt(elapsed: number): 'SIGINT' | 'SIGTERM' | 'SIGKILL' {
  if (elapsed < TERM_AFTER) return 'SIGINT'
  return elapsed < KILL_AFTER ? 'SIGTERM' : 'SIGKILL'
}

/** A reaper for everything below this process. */
export function createReaper(): Reaper {
  let mark: Mark | undefined
  let helpers: string[] = []
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  return {
    mark: (patterns) =>
      inTurn(() => {
        mark = markOf(scan())
        helpers = patterns
      }),
    reap: () => inTurn(() => (mark === undefined ? NOTHING : reap(straysOf(mark, helpers)))),
  }
}

const NOTHING: Reaped = { processes: [], left: 0 }

type Find = (found: Scan) => Process[]

function straysOf(mark: Mark, patterns: string[]): Find {
  const helpers = ({ pid }: Process) => {
    if (patterns.length === 0) return false
    const command = commandOf(pid)
    return patterns.some((pattern) => matches(pattern, command))
  }
  return (found) => strays(found, { self: process.pid, mark, helpers })
}

async function reap(find: Find): Promise<Reaped> {
  const ended = new Map<string, EndedProcess>()
  const told = new Map<string, NodeJS.Signals>()
  const begun = performance.now()
  for (;;) {
    const elapsed = performance.now() - begun
    const found = scan()
    const left = find(found)
    // An empty list that was read while processes ended proves nothing.
    if (left.length === 0 && found.steady) return { processes: [...ended.values()], left: 0 }
    if (elapsed > GIVE_UP_AFTER) return { processes: [...ended.values()], left: left.length }
    const signal = signalAt(elapsed)
    for (const stray of left) tell(stray, signal, told, ended)
    if (elapsed > FREEZE_AFTER && process.pid === 1) freeze(find, ended)
    // oxlint-disable-next-line no-await-in-loop -- it is the waiting that is wanted
    await sleep(LOOK_EVERY)
  }
}

/** Each gets each signal once. */
function tell(
  stray: Process,
  signal: NodeJS.Signals,
  told: Map<string, NodeJS.Signals>,
  ended: Map<string, EndedProcess>,
): void {
  const name = nameOf(stray)
  if (told.get(name) === signal) return
  told.set(name, signal)
  note(stray, ended)
  send(stray.pid, signal)
}

function note(stray: Process, ended: Map<string, EndedProcess>): void {
  const name = nameOf(stray)
  if (!ended.has(name)) ended.set(name, { pid: stray.pid, command: commandOf(stray.pid) })
}

/**
 * Processes that start others faster than a list is read are ended while everything stands still:
 * PID 1 stops all others in one call, which no fork can slip through.
 */
function freeze(find: Find, ended: Map<string, EndedProcess>): void {
  const before = new Set(scan().processes.filter(isStopped).map(nameOf))
  send(-1, 'SIGSTOP')
  const found = scan()
  for (const stray of find(found)) {
    note(stray, ended)
    send(stray.pid, 'SIGKILL')
  }
  for (const one of found.processes) {
    if (one.pid !== process.pid && !before.has(nameOf(one))) send(one.pid, 'SIGCONT')
  }
}

const isStopped = ({ state }: Process) => state === 'T'

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // ESRCH: it ended by itself.
  }
}
