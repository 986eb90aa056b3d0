/** Runs the cancel ladder on a real clock. */
import {
  climb,
  isCancelling,
  wakeAt,
  type Grace,
  type Ladder,
  type LadderAction,
  type LadderEvent,
} from './cancel-ladder.ts'

export type LadderEffects = Record<LadderAction, () => void>

/** One session's ladder, from its first prompt to the end of its container. */
export class LadderClock implements Disposable {
  readonly #grace: Grace
  readonly #effects: LadderEffects
  #ladder: Ladder = { stage: 'idle' }
  #timer: NodeJS.Timeout | undefined
  #waiting: (() => void)[] = []

  constructor(grace: Grace, effects: LadderEffects) {
    this.#grace = grace
    this.#effects = effects
  }

  /** Whether a prompt is open that must end `cancelled`. */
  get cancelling(): boolean {
    return isCancelling(this.#ladder)
  }

  /** Whether a prompt is open and goes its way. */
  get running(): boolean {
    return this.#ladder.stage === 'running'
  }

  /** Whether the signal stands in for the control stream. */
  get interrupted(): boolean {
    return this.#ladder.reap?.interrupted === true
  }

  on(event: LadderEvent): void {
    const { ladder, actions } = climb(this.#ladder, event, performance.now(), this.#grace)
    this.#ladder = ladder
    this.#schedule()
    for (const action of actions) this.#effects[action]()
    if (this.#settled) this.#release()
  }

  /** Resolves when no cancel and no reap is under way, or the container is on its way out. */
  async settled(): Promise<void> {
    if (this.#settled) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#release()
  }

  get #settled(): boolean {
    return !this.cancelling && this.#ladder.reap === undefined
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const due = wakeAt(this.#ladder)
    if (due === undefined) return
    const wait = Math.max(0, Math.ceil(due - performance.now()))
    this.#timer = setTimeout(() => this.on('clock'), wait)
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
