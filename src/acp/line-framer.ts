/** Cuts a byte stream into lines. ACP over stdio is one JSON value a line, ended by LF. */

/** The SDK's own limit for one message, in bytes: 32 MiB. */
export const MAX_FRAME = 32 * 1024 * 1024

/** How much of a line that is too long is kept, in bytes, to find out whose request it was. */
const KEPT_OF_OVERSIZE = 64 * 1024

export type Line =
  | { kind: 'line'; bytes: Buffer }
  /** A line longer than the limit: its size and its beginning. */
  | { kind: 'oversize'; size: number; head: Buffer }

/** Holds at most one unfinished line of at most `max` bytes. */
export class LineFramer {
  readonly #max: number
  #parts: Buffer[] = []
  #size = 0

  constructor(max: number = MAX_FRAME) {
    this.#max = max
  }

  /** The lines that `chunk` completes; empty lines are left out. */
  *push(chunk: Buffer): Generator<Line> {
    let at = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, at)
      if (end < 0) break
      this.#keep(chunk.subarray(at, end))
      at = end + 1
      const line = this.#take()
      if (line !== undefined) yield line
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at))
  }

  /** What is left when the stream ends without a line feed. */
  end(): Line | undefined {
    return this.#take()
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    this.#parts.push(part)
    if (this.#size <= this.#max || this.#parts.length === 1) return
    const head = Buffer.concat(this.#parts).subarray(0, KEPT_OF_OVERSIZE)
    this.#parts = [Buffer.from(head)]
  }

  #take(): Line | undefined {
    const size = this.#size
    const first = this.#parts[0]
    const bytes = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts)
    this.#parts = []
    this.#size = 0
    if (size > this.#max)
      return { kind: 'oversize', size, head: bytes.subarray(0, KEPT_OF_OVERSIZE) }
    const line = bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes
    return line.every((byte) => byte <= 0x20) ? undefined : { kind: 'line', bytes: line }
  }
}
