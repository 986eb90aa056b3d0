import type { Readable } from 'node:stream'

/** The longest line that is kept, in characters. */
const LINE = 2_000

/** Reads what an agent writes on stderr, a line at a time, and remembers the last one. */
export class StderrTail {
  #rest = ''
  #last = ''

  constructor(stderr: Readable, onLine: (line: string) => void) {
    stderr.setEncoding('utf8')
    stderr.on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n')
      this.#rest = (lines.pop() ?? '').slice(-LINE)
      for (const line of lines) this.#keep(line, onLine)
    })
    stderr.on('error', () => undefined)
  }

  /** The last line that was not empty, or what of it has come so far. */
  get last(): string {
    return this.#rest.trim() === '' ? this.#last : this.#rest.trim()
  }

  #keep(line: string, onLine: (line: string) => void): void {
    const text = line.trim().slice(0, LINE)
    if (text === '') return
    this.#last = text
    onLine(text)
  }
}
