/** Which limit was hit, in the user's words, with the key that raises it. */
import type { Policy } from '../policy/merge.ts'

const LIMITS = ['memory', 'pids', 'tmp', 'home'] as const
type Limit = (typeof LIMITS)[number]

/** Collects what was hit until there is a moment to tell it. */
export class LimitNotices {
  readonly #limits: Policy['limits']
  readonly #hit = new Set<Limit>()
  #memory = false

  constructor(limits: Policy['limits']) {
    this.#limits = limits
  }

  /** Whether something was ever killed at the memory limit. */
  get memory(): boolean {
    return this.#memory
  }

  /** A message of init: untrusted, so it can only choose among our sentences. */
  fromInit(message: Record<string, unknown>): Limit | undefined {
    if (message['type'] !== 'limit') return undefined
    const limit = LIMITS.find((one) => one === message['limit'])
    if (limit === undefined) return undefined
    if (limit === 'memory') this.#memory = true
    this.#hit.add(limit)
    return limit
  }

  /** A sentence for each limit that was hit since the last call. */
  take(): string[] {
    const lines = [...this.#hit].map((limit) => limitSentence(limit, this.#limits))
    this.#hit.clear()
    return lines
  }
}

/** What was hit, how much it is, and how to raise it. */
export function limitSentence(limit: Limit, limits: Policy['limits']): string {
  switch (limit) {
    case 'memory':
      return `the memory limit of ${limits.memory_mb} MiB was reached, and the kernel killed a process inside. ${raise('memory_mb')}`
    case 'pids':
      return `the limit of ${limits.pids} processes was reached, so no more could be started. ${raise('pids')}`
    case 'tmp':
      return `/tmp is full: its limit is ${limits.tmp_mb} MiB. ${raise('tmp_mb')}`
    case 'home':
      return `the agent’s home folder is full: its limit is ${limits.home_mb} MiB. ${raise('home_mb')}`
    default:
      return limit satisfies never
  }
}

const raise = (key: string): string => `Raise "${key}" under "limits" in the configuration.`
