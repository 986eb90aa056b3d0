/** Notices when the container's limits are hit, from the kernel's own counters. */
import { readFileSync, statfsSync } from 'node:fs'

export type Limit = 'memory' | 'pids' | 'tmp' | 'home'

/** How often the counters are looked at, in ms. */
const INTERVAL = 500

/** Where the kernel counts, in the newer and in the older cgroup; `field` begins the line. */
const COUNTERS = {
  memory: {
    field: 'oom_kill',
    files: ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'],
  },
  pids: {
    field: 'max',
    files: ['/sys/fs/cgroup/pids.events', '/sys/fs/cgroup/pids/pids.events'],
  },
} as const

/** A folder with less room than this share of its size is full. */
const FULL = 0.01

export type Readings = {
  /** How often it happened; undefined where the kernel does not say. */
  memory: number | undefined
  pids: number | undefined
  /** The free share, from 0 to 1. */
  tmp: number | undefined
  home: number | undefined
}

/** Which limits were hit between two readings. */
export function hitSince(before: Readings, now: Readings): Limit[] {
  const counted = (['memory', 'pids'] as const).filter(
    (one) => (now[one] ?? 0) > (before[one] ?? 0),
  )
  const filled = (['tmp', 'home'] as const).filter(
    (one) => (now[one] ?? 1) < FULL && (before[one] ?? 1) >= FULL,
  )
  return [...counted, ...filled]
}

/** The number after `field` at a line's start. */
export function counterOf(text: string, field: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${field} `))
  const value = Number(line?.slice(field.length + 1))
  return Number.isInteger(value) ? value : undefined
}

/** Looks twice a second, and when `look` is called. */
export function watchLimits(home: string | undefined, onHit: (limit: Limit) => void) {
  let before = read(home)
  const look = (): void => {
    const now = read(home)
    for (const limit of hitSince(before, now)) onHit(limit)
    before = now
  }
  setInterval(look, INTERVAL).unref()
  return { look }
}

function read(home: string | undefined): Readings {
  return {
    memory: counter('memory'),
    pids: counter('pids'),
    tmp: freeShare('/tmp'),
    home: home === undefined ? undefined : freeShare(home),
  }
}

function counter(limit: keyof typeof COUNTERS): number | undefined {
  const { field, files } = COUNTERS[limit]
  for (const file of files) {
    const text = attempt(() => readFileSync(file, 'utf8'))
    if (text !== undefined) return counterOf(text, field)
  }
  return undefined
}

function freeShare(folder: string): number | undefined {
  const found = attempt(() => statfsSync(folder))
  return found === undefined || found.blocks === 0 ? undefined : found.bavail / found.blocks
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
