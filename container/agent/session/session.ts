/** One conversation: its project, options, rules, messages and journal, and the turn that runs. */
import type { Command } from '../commands/command.ts'
import { expandCommand } from '../commands/expand.ts'
import type { Consents } from '../commands/expand.ts'
import { fault } from '../errors.ts'
import type { WriteRecord } from '../journal/record.ts'
import type { Restored } from '../journal/restore.ts'
import { titleOf } from '../journal/session-store.ts'
import type { Model, UserPart } from '../model/model.ts'
import { ModelError } from '../model/model.ts'
import type { Rules } from '../permission/decide.ts'
import type { Mode } from '../permission/modes.ts'
import type { Place } from '../tools/place.ts'
import type { Tool } from '../tools/tool.ts'
import { attachFiles } from './attach.ts'
import type { PromptPiece } from './attach.ts'
import { ChosenOptions } from './chosen-options.ts'
import { conversation, reminder } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import type { TurnEvent, TurnPorts } from './events.ts'
import type { Choice } from './options.ts'
import { DEFAULT_LIMITS, runTurn } from './turn.ts'
import type { StopReason, TurnContext } from './turn.ts'

export type SessionSetup = {
  id: string
  place: Place
  /** The models to choose from; the first one is the default. */
  models: string[]
  openModel: (name: string) => Model
  tools: readonly Tool[]
  system: string
  ports: TurnPorts
  /** US dollars. */
  costLimit: number | undefined
  commands: Command[]
  /** What the user is told with the first prompt. */
  notices: string[]
  write: WriteRecord
  /** What a journal says of the session, when it goes on from one. */
  restored: Restored | undefined
  report: (error: unknown) => void
}

export class Session implements AsyncDisposable {
  readonly id: string
  readonly #setup: SessionSetup
  readonly #conversation: Conversation
  // Rules a user's answers made are not restored: a journal lies where commands can write.
  readonly #rules: Rules = { allow: [], deny: [] }
  readonly #options: ChosenOptions
  /** Whether the journal has its beginning: a session without a prompt leaves nothing. */
  #begun: boolean
  #titled: boolean
  readonly #consents: Consents = { agreed: new Set(), questions: 0 }
  readonly #spent: { cost: number | undefined }
  #running: { stop: AbortController; ended: Promise<unknown> } | undefined

  constructor(setup: SessionSetup) {
    this.id = setup.id
    this.#setup = setup
    const { restored, models, openModel, write } = setup
    this.#conversation = conversation(restored?.messages ?? [], write)
    this.#options = new ChosenOptions({ models, openModel, write }, restored?.options)
    this.#begun = restored !== undefined
    this.#titled = restored?.titled ?? false
    this.#spent = { cost: restored?.cost }
  }

  get mode(): Mode {
    return this.#options.current.mode
  }

  get commands(): Command[] {
    return this.#setup.commands
  }

  get choices(): Choice[] {
    return this.#options.choices()
  }

  /**
   * From the next turn on.
   * @throws AgentFault for a mode there is not.
   */
  setMode(id: string): void {
    this.#options.setMode(id, this.#running !== undefined)
  }

  /**
   * From the next turn on.
   * @throws AgentFault for a choice or a value there is not.
   */
  choose(id: string, value: string): void {
    this.#options.choose(id, value, this.#running !== undefined)
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
    this.#journalPrompt(pieces)
    const { write } = this.#setup
    try {
      const reason = await this.#run(pieces, signal)
      write({ type: 'stop', reason, ...this.#cost() })
      return reason
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      write({ type: 'stop', reason: 'error', message, ...this.#cost() })
      throw error
    }
  }

  #cost(): { cost?: number } {
    return this.#spent.cost === undefined ? {} : { cost: this.#spent.cost }
  }

  #journalPrompt(pieces: PromptPiece[]): void {
    const { write, place } = this.#setup
    const at = new Date().toISOString()
    if (!this.#begun) write({ type: 'session', version: 1, id: this.id, cwd: place.root, at })
    this.#begun = true
    this.#options.journal()
    write({ type: 'prompt', pieces, at })
  }

  async #run(pieces: PromptPiece[], signal: AbortSignal): Promise<StopReason> {
    const context = this.#context(signal)
    const asking = { ports: context.ports, signal, consents: this.#consents }
    const expanded = await expandCommand(pieces, this.#setup.commands, asking)
    if (expanded.answer !== undefined) {
      await context.ports.emit({ type: 'notice', text: expanded.answer(context) })
      return signal.aborted ? 'cancelled' : 'end_turn'
    }
    const attached = await attachFiles(expanded.pieces, context.place, context.rules)
    for (const text of [...this.#setup.notices.splice(0), ...attached.notices])
      await context.ports.emit({ type: 'notice', text })
    const stop = await runTurn(context, [...attached.parts, ...notesFor(context.mode)])
    await this.#giveTitle(pieces)
    return stop
  }

  #context(signal: AbortSignal): TurnContext {
    const { openModel, write, ports, costLimit } = this.#setup
    const { mode, model, effort } = this.#options.current
    return {
      ...this.#setup,
      signal,
      mode,
      effort,
      rules: this.#rules,
      spent: this.#spent,
      model: openModel(model),
      ports: { ...ports, emit: journalling(ports.emit, write) },
      conversation: this.#conversation,
      limits: { ...DEFAULT_LIMITS, cost: costLimit },
      leavePlan: () => this.#leavePlan(),
    }
  }

  /** Tells the client, since it was not its doing. */
  async #leavePlan(): Promise<Mode> {
    this.setMode(this.#options.modeBeforePlan)
    await this.#setup.ports.emit({ type: 'mode', mode: this.mode, choices: this.choices })
    return this.mode
  }

  async #giveTitle(pieces: PromptPiece[]): Promise<void> {
    if (this.#titled) return
    this.#titled = true
    const title = titleOf(pieces)
    if (title !== '') await this.#setup.ports.emit({ type: 'title', title })
  }
}

/** Writes what of the events a later replay needs, before the client sees it. */
function journalling(emit: TurnPorts['emit'], write: WriteRecord): TurnPorts['emit'] {
  return async (event: TurnEvent) => {
    if (event.type === 'call' || event.type === 'call-ended' || event.type === 'plan')
      write({ type: 'event', event })
    await emit(event)
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
