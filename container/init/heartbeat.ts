/** The launcher beats every 2 s; after this many milliseconds without a beat it counts as gone. */
export const HEARTBEAT_TIMEOUT = 10_000

/**
 * Calls `onLost` when no beat came for `timeout` milliseconds; returns what to call at each beat.
 * After a pause of this process itself (a frozen container) the timer fires before waiting input
 * is read, so it looks again after one round of input.
 */
export function watchHeartbeat(onLost: () => void, timeout = HEARTBEAT_TIMEOUT): () => void {
  let beats = 0
  const timer = setTimeout(() => {
    const seen = beats
    setImmediate(() => {
      if (beats === seen) onLost()
    })
  }, timeout)
  return () => {
    beats += 1
    timer.refresh()
  }
}
