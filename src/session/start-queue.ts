/** At most this many containers start at a time; 20 at once took 18 s on two cores. */
const AT_ONCE = 3

/** What a start that has to wait is told. */
export type QueueEvents = {
  /** It waits, so many places from its turn. */
  waits?: (place: number) => void
  /** Its turn has come after this many ms. */
  begins?: (waited: number) => void
}

/** Lets a few starts run and the others wait their turn, first come, first served. */
export class StartQueue {
  #running = 0
  readonly #waiting: (() => void)[] = []

  async run<T>(start: () => Promise<T>, events: QueueEvents = {}): Promise<T> {
    if (this.#running >= AT_ONCE) await this.#turn(events)
    else this.#running += 1
    try {
      return await start()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  async #turn({ waits, begins }: QueueEvents): Promise<void> {
    const since = performance.now()
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      waits?.(this.#waiting.length)
    })
    begins?.(performance.now() - since)
  }
}
