import type { Writable } from 'node:stream'

const LF = Buffer.from('\n')

/**
 * Writes whole frames to a stream. `write` returns a promise only when the stream asks to wait, so
 * a reader that stalls slows the writer down and memory stays bounded. After the stream failed or
 * closed, frames are dropped and `write` no longer waits.
 */
export class FrameWriter {
  readonly #stream: Writable
  #waiting: Promise<void> | undefined
  #broken = false
  /** Resolves when the stream failed or closed: nobody reads any more. */
  readonly gone: Promise<void>

  constructor(stream: Writable) {
    this.#stream = stream
    const { promise, resolve } = Promise.withResolvers<void>()
    this.gone = promise
    const broken = (): void => {
      this.#broken = true
      resolve()
    }
    stream.on('error', broken)
    stream.on('close', broken)
  }

  /** `frame` has no line feed; one is added. */
  write(frame: Buffer): void | Promise<void> {
    if (this.#broken || this.#stream.destroyed || this.#stream.writableEnded) return
    this.#stream.cork()
    this.#stream.write(frame)
    const more = this.#stream.write(LF)
    this.#stream.uncork()
    if (more || this.#broken) return
    this.#waiting ??= this.#drained()
    return this.#waiting
  }

  /** Bytes that the reader has not taken yet. */
  get unread(): number {
    return this.#stream.writableLength
  }

  /** Resolves when what was written left the process, or can no longer leave it. */
  async flushed(): Promise<void> {
    if (this.#broken || this.#stream.writableEnded) return
    await new Promise<void>((resolve) => {
      this.#stream.once('error', () => resolve())
      this.#stream.once('close', () => resolve())
      this.#stream.write('', () => resolve())
    })
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        for (const event of ['drain', 'error', 'close']) this.#stream.off(event, done)
        resolve()
      }
      for (const event of ['drain', 'error', 'close']) this.#stream.on(event, done)
    })
    this.#waiting = undefined
  }
}
