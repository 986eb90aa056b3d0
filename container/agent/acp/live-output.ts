/** A running command's output on its way to the client: bundled, and not without bound. */
import { HeadAndTail } from '../tools/head-and-tail.ts'

/** Milliseconds between two updates. */
const INTERVAL = 100
/** Characters of one call shown while it runs. */
const LIVE_LIMIT = 64_000
const TEXT_LIMIT = 4_000

export type LiveOutput = {
  add: (text: string) => void
  /** Sends what waits, and says whether all output was shown. */
  finish: () => { complete: boolean }
}

/**
 * @param send gets what came since the last time (`fresh`), for a client that appends, and a short
 * text of all there was, for a client that replaces.
 */
export function liveOutput(send: (output: { fresh: string; soFar: string }) => void): LiveOutput {
  const soFar = new HeadAndTail(TEXT_LIMIT)
  let waiting = ''
  let taken = 0
  let complete = true
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting === '') return
    const fresh = waiting
    waiting = ''
    send({ fresh, soFar: soFar.text() })
  }
  return {
    add: (text) => {
      soFar.add(text)
      const room = LIVE_LIMIT - taken
      if (text.length > room) complete = false
      waiting += text.slice(0, Math.max(0, room))
      taken += text.length
      if (waiting !== '') timer ??= setTimeout(flush, INTERVAL)
    },
    finish: () => {
      flush()
      return { complete }
    },
  }
}
