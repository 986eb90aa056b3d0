/** At most this many containers start at a time; 20 at once took 18 s on two cores. */
const AT_ONCE = 3

/** Lets a few starts run and the others wait their turn, first come, first served. */
export class StartQueue {
  #running = 0
  readonly #waiting: (() => void)[] = []

  async run<T>(start: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return await start()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
