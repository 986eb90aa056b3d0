/** One conversation: its project, model, mode, rules and messages, and the turn that runs. */
import { fault } from '../errors.ts'
import type { Message, Model, UserPart } from '../model/model.ts'
import { ModelError } from '../model/model.ts'
import type { Rules } from '../permission/decide.ts'
import { DEFAULT_MODE, modeNamed } from '../permission/modes.ts'
import type { Mode } from '../permission/modes.ts'
import type { Place } from '../tools/place.ts'
import type { Tool } from '../tools/tool.ts'
import { oneLine } from '../visible.ts'
import { attachFiles } from './attach.ts'
import type { PromptPiece } from './attach.ts'
import { reminder } from './conversation.ts'
import type { TurnPorts } from './events.ts'
import { DEFAULT_LIMITS, runTurn } from './turn.ts'
import type { StopReason } from './turn.ts'

export type SessionSetup = {
  id: string
  place: Place
  model: Model
  tools: readonly Tool[]
  system: string
  ports: TurnPorts
  /** What the user is told with the first prompt. */
  notices: string[]
  report: (error: unknown) => void
}

export class Session implements AsyncDisposable {
  readonly id: string
  readonly #setup: SessionSetup
  readonly #messages: Message[] = []
  readonly #rules: Rules = { allow: [], deny: [] }
  #notices: string[]
  #mode: Mode = DEFAULT_MODE
  #titled = false
  #running: { stop: AbortController; ended: Promise<unknown> } | undefined

  constructor(setup: SessionSetup) {
    this.id = setup.id
    this.#setup = setup
    this.#notices = setup.notices
  }

  get mode(): Mode {
    return this.#mode
  }

  /**
   * From the next turn on.
   * @throws AgentFault for a mode there is not.
   */
  setMode(id: string): void {
    const mode = modeNamed(id)
    if (mode === undefined) throw fault.unknownMode(id)
    this.#mode = mode
  }

  /**
   * Runs one turn; aborting the signal is the same as `cancel`.
   * @throws AgentFault when a turn is running already, and when the model's provider fails.
   */
  async prompt(pieces: PromptPiece[], signal: AbortSignal): Promise<StopReason> {
    if (this.#running !== undefined) throw fault.promptRunning()
    const stop = new AbortController()
    const turn = this.#turn(pieces, AbortSignal.any([stop.signal, signal]))
    this.#running = { stop, ended: turn.catch(() => undefined) }
    try {
      return await turn
    } catch (error) {
      if (error instanceof ModelError) throw fault.provider(error.message, error.status)
      throw error
    } finally {
      this.#running = undefined
    }
  }

  /** Ends the running turn as cancelled; nothing where none runs. */
  cancel(): void {
    this.#running?.stop.abort()
  }

  /** Cancels and waits until the turn has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
    await this.#running?.ended
  }

  async #turn(pieces: PromptPiece[], signal: AbortSignal): Promise<StopReason> {
    const mode = this.#mode
    const { place, ports } = this.#setup
    const { parts, notices } = await attachFiles(pieces, place, this.#rules)
    for (const text of [...this.#notices.splice(0), ...notices])
      await ports.emit({ type: 'notice', text })
    const rules = this.#rules
    const messages = this.#messages
    const context = { ...this.#setup, signal, mode, rules, messages, limits: DEFAULT_LIMITS }
    const stop = await runTurn(context, [...parts, ...notesFor(mode)])
    await this.#giveTitle(pieces)
    return stop
  }

  async #giveTitle(pieces: PromptPiece[]): Promise<void> {
    if (this.#titled) return
    this.#titled = true
    const first = pieces.find((piece) => piece.type === 'text')
    const title = oneLine(first?.text ?? '', 80)
    if (title !== '') await this.#setup.ports.emit({ type: 'title', title })
  }
}

/** The system prompt is fixed for the session, so what changes with the mode goes with the prompt. */
function notesFor(mode: Mode): UserPart[] {
  if (mode !== 'plan') return []
  const text =
    'Plan mode is on: read and search only. Edits and commands will be denied. ' +
    'Answer with a plan of what you would do.'
  return [reminder(text)]
}
