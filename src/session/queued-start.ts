/** What a user learns of a start that had to wait for others. */
import type { Log } from '../log.ts'
import type { QueueEvents } from './start-queue.ts'

/** A shorter wait, in ms, is not worth a line. */
const WORTH_TELLING = 1_000

/** A start may wait twice: for its proxy, and for its container. */
export type QueuedStart = QueueEvents & {
  /** For the first prompt: `session/new` has no answer yet while it waits. */
  notices: () => string[]
}

/** The place goes to the log at once. */
export function queuedStart(log: Log, session: string): QueuedStart {
  let total = 0
  return {
    notices: () => {
      const seconds = (total / 1000).toFixed(1)
      return total < WORTH_TELLING
        ? []
        : [`this session waited ${seconds} s for others that were starting.`]
    },
    waits: (place) => log.info('start queued', { session, place }),
    begins: (waited) => {
      total += waited
      log.info('start begins', { session, waited_ms: Math.round(waited) })
    },
  }
}
