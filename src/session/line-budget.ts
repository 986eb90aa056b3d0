/** Lines that may be logged at once, and again as many for each interval that passes. */
const BURST = 200
const INTERVAL = 10_000

export type LineBudget = {
  burst?: number
  /** In ms. */
  interval?: number
  now?: () => number
}

/**
 * Passes lines on up to a limit, so that a program that prints without end neither holds the
 * launcher up nor pushes everything else out of its log. What is left out is counted, and told
 * before the next line that passes.
 */
export function limitLines(onLine: (line: string) => void, options: LineBudget = {}) {
  const { burst = BURST, interval = INTERVAL, now = Date.now } = options
  let since = now()
  let left = burst
  let dropped = 0
  return (line: string): void => {
    if (now() - since >= interval) {
      since = now()
      left = burst
      if (dropped > 0) onLine(`(${dropped} lines left out)`)
      dropped = 0
    }
    if (left === 0) {
      dropped += 1
      return
    }
    left -= 1
    onLine(line)
  }
}
