import type { Readable } from 'node:stream'

import { LineFramer, type Line } from './line-framer.ts'

/**
 * Gives a stream's lines to `onLine`, one after the other. While the promise of one line is not
 * settled no further line is given and the stream is paused, so that a slow reader behind
 * `onLine` slows the stream down. Resolves when the stream ended, broke, or `onLine` failed.
 */
export function pumpLines(
  stream: Readable,
  onLine: (line: Line) => void | Promise<void>,
): Promise<void> {
  return new Promise((resolve) => {
    const framer = new LineFramer()
    // A paused stream may still hand over what it had read.
    const waiting: Buffer[] = []
    let busy = false
    let over = false

    const end = (): void => {
      over = true
      if (!busy) resolve()
    }
    const failed = (): void => {
      stream.destroy()
      resolve()
    }
    const goOn = (lines: Iterator<Line>): void => {
      busy = false
      work(lines)
      if (busy) return
      if (over) resolve()
      else stream.resume()
    }
    const work = (lines: Iterator<Line>): void => {
      for (let next = lines.next(); ; next = lines.next()) {
        if (next.done === true) {
          const chunk = waiting.shift()
          if (chunk === undefined) return
          lines = framer.push(chunk)
          continue
        }
        const wait = onLine(next.value)
        if (wait === undefined) continue
        busy = true
        stream.pause()
        wait.then(() => goOn(lines), failed)
        return
      }
    }
    stream.on('data', (chunk: Buffer) => {
      if (busy) waiting.push(chunk)
      else work(framer.push(chunk))
    })
    for (const event of ['end', 'close', 'error']) stream.on(event, end)
  })
}
