/** A session's options: changed at any time, journalled with a turn. */
import { fault } from '../errors.ts'
import type { WriteRecord } from '../journal/record.ts'
import type { Restored } from '../journal/restore.ts'
import type { Model } from '../model/model.ts'
import { DEFAULT_MODE, modeNamed } from '../permission/modes.ts'
import { choicesOf, storedOptions } from './options.ts'
import type { Choice, SessionOptions } from './options.ts'

type Sources = { models: string[]; openModel: (name: string) => Model; write: WriteRecord }

export class ChosenOptions {
  /** Where an approved plan leads. */
  modeBeforePlan = DEFAULT_MODE
  readonly #sources: Sources
  #current: SessionOptions
  /** As the journal has them; a change while idle waits for the next turn. */
  #journalled: SessionOptions | undefined

  constructor(sources: Sources, stored: Restored['options']) {
    this.#sources = sources
    this.#current = storedOptions(stored, sources.models, sources.openModel)
    this.#journalled = stored === undefined ? undefined : this.#current
  }

  get current(): SessionOptions {
    return this.#current
  }

  choices(): Choice[] {
    const { models, openModel } = this.#sources
    return choicesOf(this.#current, openModel(this.#current.model), models)
  }

  /** @throws AgentFault for a mode there is not. */
  setMode(id: string, inTurn: boolean): void {
    const mode = modeNamed(id)
    if (mode === undefined) throw fault.unknownMode(id)
    if (mode === 'plan' && this.#current.mode !== 'plan') this.modeBeforePlan = this.#current.mode
    this.#change({ ...this.#current, mode }, inTurn)
  }

  /** @throws AgentFault for a choice or a value there is not. */
  choose(id: string, value: string, inTurn: boolean): void {
    const choice = this.choices().find((candidate) => candidate.id === id)
    if (choice === undefined) throw fault.unknownOption(id)
    if (!choice.values.some((known) => known.value === value)) throw fault.unknownValue(id, value)
    if (choice.id === 'mode') this.setMode(value, inTurn)
    else if (choice.id === 'model') this.#change(this.#withModel(value), inTurn)
    else this.#change(this.#withEffort(value), inTurn)
  }

  /** Writes them down, where they are not yet as they are now. */
  journal(): void {
    if (this.#journalled === this.#current) return
    const { mode, model, effort = '' } = this.#current
    this.#sources.write({ type: 'options', mode, model, effort })
    this.#journalled = this.#current
  }

  #change(options: SessionOptions, inTurn: boolean): void {
    this.#current = options
    if (inTurn) this.journal()
  }

  /** The effort stays as far as the new model knows it. */
  #withModel(model: string): SessionOptions {
    const { efforts, defaultEffort } = this.#sources.openModel(model)
    const kept = efforts.find((effort) => effort === this.#current.effort)
    return { ...this.#current, model, effort: kept ?? defaultEffort }
  }

  #withEffort(value: string): SessionOptions {
    const { efforts } = this.#sources.openModel(this.#current.model)
    return { ...this.#current, effort: efforts.find((known) => known === value) }
  }
}
