/** Cuts a byte stream into lines. ACP over stdio is one JSON value a line, ended by LF. */

/** The SDK's own limit for one message, in bytes: 32 MiB. */
export const MAX_FRAME = 32 * 1024 * 1024

/** How much of a line that is too long is kept, in bytes, to find out whose request it was. */
const KEPT_OF_OVERSIZE = 64 * 1024

const EMPTY = Buffer.alloc(0)

export type Line =
  | { kind: 'line'; bytes: Buffer }
  /** A line longer than the limit: its size and its beginning. */
  | { kind: 'oversize'; size: number; head: Buffer }

/** Holds at most one unfinished line of at most `max` bytes. */
export class LineFramer {
  readonly #max: number
  /** The beginning of an unfinished line; grows by doubling, so that single bytes cost no more. */
  #held: Buffer = EMPTY
  #kept = 0
  /** Of the unfinished line, in bytes, kept or not. */
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
      const line = this.#take(chunk.subarray(at, end))
      at = end + 1
      if (line !== undefined) yield line
    }
    if (at < chunk.length) this.#keep(chunk.subarray(at))
  }

  /** What is left when the stream ends without a line feed. */
  end(): Line | undefined {
    return this.#take(EMPTY)
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    if (this.#size <= this.#max) {
      this.#append(part)
      return
    }
    const room = KEPT_OF_OVERSIZE - this.#kept
    if (room > 0) this.#append(part.subarray(0, room))
    if (this.#kept <= KEPT_OF_OVERSIZE) return
    this.#kept = KEPT_OF_OVERSIZE
    this.#held = Buffer.from(this.#held.subarray(0, KEPT_OF_OVERSIZE))
  }

  #append(part: Buffer): void {
    const needed = this.#kept + part.length
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#held.length))
      this.#held.copy(grown, 0, 0, this.#kept)
      this.#held = grown
    }
    part.copy(this.#held, this.#kept)
    this.#kept = needed
  }

  #take(last: Buffer): Line | undefined {
    // A line that came in one piece is not copied.
    const whole = this.#size === 0 && last.length <= this.#max
    if (!whole) this.#keep(last)
    const size = whole ? last.length : this.#size
    const bytes = whole ? last : this.#held.subarray(0, this.#kept)
    this.#held = EMPTY
    this.#kept = 0
    this.#size = 0
    if (size > this.#max)
      return { kind: 'oversize', size, head: bytes.subarray(0, KEPT_OF_OVERSIZE) }
    const line = bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes
    return line.every((byte) => byte <= 0x20) ? undefined : { kind: 'line', bytes: line }
  }
}
