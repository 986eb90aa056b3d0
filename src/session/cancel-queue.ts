/** Frames for one agent, in the order the editor sent them, also when one of them has to wait. */
export class FrameQueue {
  #last: Promise<void> | undefined

  /** Does `work` now when nothing waits, else after that. */
  now(work: () => void | Promise<void>): void | Promise<void> {
    return this.#last === undefined ? work() : this.later(work)
  }

  /** Does `work` after what waits, and never at once; the caller does not wait for it. */
  later(work: () => void | Promise<void>): void {
    const last = (this.#last ?? Promise.resolve()).then(work).catch(() => undefined)
    this.#last = last
    void last.finally(() => {
      if (this.#last === last) this.#last = undefined
    })
  }
}
