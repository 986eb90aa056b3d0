/** What the launcher says to init about turns. What comes back is untrusted. */
import { isRecord } from '../acp/frame.ts'

/** How long init may take to confirm a mark, in ms; the prompt goes to the agent then all the same. */
const MARK_BOUND = 250

/** At most this many ended processes are recorded, each with this many characters. */
const RECORDED = 100
const RECORDED_LENGTH = 200

/** `left` is how many processes init could not end. */
export type ReapReport = { processes: { pid: number; command: string }[]; left: number }

/** Marks and reaps over init's control stream. */
export class InitTurns {
  readonly #send: (message: Record<string, unknown>) => void
  readonly #helpers: readonly string[]
  /** Ids of reaps that are not confirmed. */
  readonly #reaps = new Set<number>()
  #nextReap = 1
  #marked: { turn: string; resolve: () => void } | undefined

  /** `helpers` are patterns of command lines, as in a profile. */
  constructor(send: (message: Record<string, unknown>) => void, helpers: readonly string[]) {
    this.#send = send
    this.#helpers = helpers
  }

  /** Has init note what runs now. Resolves when it did, or after 250 ms. */
  async mark(turn: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, MARK_BOUND)
      const marked = (): void => (clearTimeout(late), resolve())
      this.#marked = { turn, resolve: marked }
      this.#send({ type: 'mark', turn, helpers: this.#helpers })
    })
  }

  /** Has init end what was started since the mark. */
  reap(): void {
    const id = this.#nextReap
    this.#nextReap += 1
    this.#reaps.add(id)
    this.#send({ type: 'reap', id })
  }

  /**
   * Takes one message of init. The report of a reap that was asked for, or of one after a signal
   * when `signalled`; anything else is nothing.
   */
  receive(message: Record<string, unknown>, signalled: boolean): ReapReport | undefined {
    if (message['type'] === 'marked' && message['turn'] === this.#marked?.turn) {
      this.#marked?.resolve()
      this.#marked = undefined
    }
    if (message['type'] !== 'reaped') return undefined
    const id = message['id']
    const asked = typeof id === 'number' ? this.#reaps.delete(id) : signalled
    return asked ? reportOf(message) : undefined
  }
}

function reportOf({ processes, left }: Record<string, unknown>): ReapReport {
  const list = Array.isArray(processes) ? processes.slice(0, RECORDED) : []
  return {
    processes: list.filter(isRecord).map(({ pid, command }) => ({
      pid: Number(pid),
      command: String(command).slice(0, RECORDED_LENGTH),
    })),
    left: typeof left === 'number' ? left : 0,
  }
}
