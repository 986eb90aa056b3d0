import { PassThrough, type Readable } from 'node:stream'

/** Collects the JSON lines of a stream; `next` waits for the following one, at most 5 s. */
export class Lines {
  readonly #queue: string[] = []
  readonly #waiting: ((line: string) => void)[] = []

  constructor(stream: Readable) {
    let rest = ''
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#give(line)
    })
  }

  async raw(): Promise<string> {
    const ready = this.#queue.shift()
    if (ready !== undefined) return ready
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no line came in 5 s')), 5_000)
      this.#waiting.push((line) => {
        clearTimeout(timer)
        resolve(line)
      })
    })
  }

  async next(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.raw()) as Record<string, unknown>
  }

  /** The lines that have come and were not read. */
  pending(): string[] {
    return [...this.#queue]
  }

  #give(line: string): void {
    const waiter = this.#waiting.shift()
    if (waiter === undefined) this.#queue.push(line)
    else waiter(line)
  }
}

/** A stream to write JSON lines into. */
export function jsonInput(): PassThrough & { send: (message: unknown) => void } {
  const stream = new PassThrough()
  return Object.assign(stream, {
    send: (message: unknown) => {
      stream.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
    },
  })
}

/** Lets everything that is ready happen. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20)
  })
}
