/** Keeps the beginning and the end of a long text within a cap. */

export class HeadAndTail {
  readonly #limit: number
  #head = ''
  #tail = ''
  #total = 0

  /** @param limit characters kept at each end. */
  constructor(limit: number) {
    this.#limit = limit
  }

  add(text: string): void {
    this.#total += text.length
    const room = this.#limit - this.#head.length
    this.#head += text.slice(0, Math.max(0, room))
    if (text.length <= room) return
    this.#tail += text.slice(Math.max(0, room))
    if (this.#tail.length > 2 * this.#limit) this.#tail = this.#tail.slice(-this.#limit)
  }

  /** The text, with a line in the middle that says how much is not there. */
  text(): string {
    const tail = this.#tail.slice(-this.#limit)
    const missing = this.#total - this.#head.length - tail.length
    if (missing <= 0) return this.#head + tail
    return `${this.#head}\n… ${missing} characters left out …\n${tail}`
  }
}
