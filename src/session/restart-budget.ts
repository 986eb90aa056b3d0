/** At most this many restarts in this time, in ms: what dies at each start must not spin. */
const RESTARTS = 10
const WINDOW = 60_000

/** Bounds how often a session gets a new container. */
export class RestartBudget {
  readonly #now: () => number
  #times: number[] = []

  /** `now` is a clock in ms that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes one restart; false when there were too many just now. */
  take(): boolean {
    const now = this.#now()
    this.#times = this.#times.filter((time) => now - time < WINDOW)
    if (this.#times.length >= RESTARTS) return false
    this.#times.push(now)
    return true
  }
}
