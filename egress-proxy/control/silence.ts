/** Notices that the launcher is silent. */
/** How often this process looks whether it stood still itself, in ms, and what counts as that. */
const TICK = 1_000
const STANDSTILL = 2_000
/** How long the other side may take to beat after a standstill, which was most likely its own too. */
const GRACE = 4_000

/**
 * Calls `onLost` when nothing was heard for `timeout` milliseconds; returns what to call when
 * something is. Where this process itself stood still (a frozen container, a machine that slept),
 * the launcher most likely did too: it gets some more time. And a timer fires before waiting input
 * is read, so it looks again after one round of input.
 */
export function watchSilence(onLost: () => void, timeout: number): () => void {
  let [beats, until] = [0, 0]
  let tick = performance.now()
  const stoodStill = (): void => {
    const now = performance.now()
    if (now - tick > STANDSTILL) until = now + GRACE
    tick = now
  }
  setInterval(stoodStill, TICK).unref()
  const due = (): void => {
    stoodStill()
    const left = until - performance.now()
    if (left > 0) {
      timer = setTimeout(due, left)
      return
    }
    const seen = beats
    setImmediate(() => {
      if (beats === seen) onLost()
    })
  }
  let timer = setTimeout(due, timeout)
  return () => {
    beats += 1
    clearTimeout(timer)
    timer = setTimeout(due, timeout)
  }
}
