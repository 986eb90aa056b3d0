/** Gives a session that lost its container a new one, as soon as somebody needs it. */
import { setTimeout as sleep } from 'node:timers/promises'

import type { RequestFrame } from '../acp/frame.ts'
import { errorReply } from '../acp/replies.ts'
import type { AuditData } from '../audit/record.ts'
import { GloveboxError } from '../errors.ts'
import { cancelledUnseen } from './cancel-turns.ts'
import type { Live } from './live.ts'
import { reopen, type Memory } from './reopen.ts'
import { RestartBudget } from './restart-budget.ts'
import { WaitingFrames } from './waiting-frames.ts'

const PROMPT = 'session/prompt'
/** How long a container that has to end may take to do so before it is removed, in ms. */
const END_BOUND = 15_000

export type RevivalHost = {
  memory: Memory
  /** The container before, however far it is with its end. */
  old: () => Live | undefined
  /** Errors: every GloveboxError of a start. */
  start: () => Promise<Live>
  /** The session has a container again; the notice is for the user. */
  serve: (live: Live, notice: string) => void
  request: (frame: RequestFrame) => void
  toEditor: (frame: Buffer) => void
  record: (data: AuditData) => void
}

export class Revival {
  /** Why the session has no container: a sentence. */
  why = ''
  /** The user knows why. */
  told = false
  readonly #host: RevivalHost
  readonly #waiting = new WaitingFrames()
  readonly #budget = new RestartBudget()
  #running: Promise<void> | undefined

  constructor(host: RevivalHost) {
    this.#host = host
  }

  /** A request waits for the new container, and is answered with an error when there will be none. */
  keep(frame: RequestFrame): void {
    this.#waiting.keep(frame)
    this.begin().catch(() => undefined)
  }

  /** Whether a request of this id waits. */
  holds(key: string): boolean {
    return this.#waiting.has(key)
  }

  /** Answers the waiting prompts `cancelled`, or the one of this id; false when there is none. */
  cancel(key?: string): boolean {
    const one = key === undefined ? undefined : this.#waiting.takeOne(key, PROMPT)
    const prompts = key === undefined ? this.#waiting.take(PROMPT) : one === undefined ? [] : [one]
    for (const prompt of prompts) {
      for (const bytes of cancelledUnseen(this.#host.memory.editorId, prompt)) {
        this.#host.toEditor(bytes)
      }
    }
    return prompts.length > 0
  }

  /** Starts the new container, unless that is under way. Errors: those of a start; `session_ended`. */
  begin(): Promise<void> {
    this.#running ??= this.#run()
    return this.#running
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  async #run(): Promise<void> {
    try {
      const { live, notice } = await this.#restore()
      this.#running = undefined
      this.#host.serve(live, notice)
      for (const frame of this.#waiting.take()) this.#host.request(frame)
    } catch (error) {
      this.#running = undefined
      for (const frame of this.#waiting.take()) this.#host.toEditor(errorReply(frame.id, error))
      throw error
    }
  }

  async #restore(): Promise<{ live: Live; notice: string }> {
    const { memory } = this.#host
    if (!this.#budget.take()) throw tooOften(this.why)
    const old = this.#host.old()
    // Two containers must not write one session.
    await Promise.race([old?.died, sleep(END_BOUND, undefined, { ref: false })])
    await old?.[Symbol.asyncDispose]()
    const live = await this.#host.start()
    try {
      const { agentId, method, but } = await reopen(live, memory)
      memory.agentId = agentId
      this.#host.record({ method, why: this.why, but })
      const goesOn = ['The session goes on in a new container', ...but].join(', but ')
      const notice = this.told ? `${goesOn}.` : `${this.why} ${goesOn}.`
      this.told = false
      return { live, notice }
    } catch (error) {
      await live[Symbol.asyncDispose]().catch(() => undefined)
      throw error
    }
  }
}

function tooOften(why: string): GloveboxError {
  return new GloveboxError(
    'session_ended',
    `The container of this session ended too often in the last minute. ${why}`,
    'Wait a minute, or start a new session.',
  )
}
