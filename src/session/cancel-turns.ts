/** The turns of one container's session: their order, their cancel, and what the editor sees of it. */
import { setTimeout as sleep } from 'node:timers/promises'

import type { AgentRelay, Pending } from '../acp/agent-relay.ts'
import {
  idKey,
  isRecord,
  paramsRecord,
  rawId,
  rewrite,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from '../acp/frame.ts'
import { notice, notification, resultReplyRaw } from '../acp/replies.ts'
import type { AuditData, AuditType } from '../audit/record.ts'
import { LadderClock } from './cancel-clock.ts'
import { InitTurns } from './cancel-init.ts'
import type { Grace } from './cancel-ladder.ts'
import { TurnOutput, WHOLE_TURN } from './cancel-output.ts'
import { FrameQueue } from './cancel-queue.ts'

const PROMPT = 'session/prompt'
const CANCELLED = { stopReason: 'cancelled' }
const OVER =
  'The agent, or something it started, did not stop when the turn was cancelled, so its container was ended.'
/** A replay is over when nothing of it came for this long, in ms … */
const QUIET = 60
/** … or when it took this long. */
const REPLAY_BOUND = 3_000

/** What turns need of their session. */
export type TurnsHost = {
  relay: AgentRelay
  grace: Grace
  /** Patterns of command lines that a cancel spares. */
  helpers: readonly string[]
  /** The session's id, as the editor and as the agent knows it. */
  editorId: () => string
  agentId: () => string
  toInit: (message: Record<string, unknown>) => void
  /** Names the turn that the border's decisions belong to; empty between turns. */
  turn: (turn: string) => void
  /** What has to be done before a turn's prompt reaches the agent; never rejects. */
  turnStarts: () => Promise<void>
  toEditor: (frame: Buffer) => void | Promise<void>
  signal: (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => void
  record: (type: AuditType, data: AuditData) => void
  /** The container ends, for this reason: a sentence. */
  end: (why: string) => void
}

/** What an earlier container of the session leaves to the turns of the next. */
export type Earlier = { turn: number }

export class Turns implements Disposable {
  readonly #host: TurnsHost
  readonly #clock: LadderClock
  readonly #init: InitTurns
  readonly #output: TurnOutput
  readonly #queue = new FrameQueue()
  /** Prompts the agent has not seen yet, by id key: they wait for a cancelled turn's end, or init. */
  readonly #held = new Map<string, RequestFrame>()
  #turn: number
  #cancel: (() => void) | undefined

  /** `earlier` when the session is restored: its replay goes nowhere. */
  constructor(host: TurnsHost, earlier?: Earlier) {
    this.#host = host
    this.#turn = earlier?.turn ?? 0
    this.#output = new TurnOutput(earlier !== undefined)
    this.#init = new InitTurns(host.toInit, host.helpers)
    this.#clock = new LadderClock(host.grace, {
      relay: () => this.#relayCancel(),
      reap: () => this.#init.reap(),
      interrupt: () => host.signal('SIGINT'),
      answer: () => this.#answerAll(),
      terminate: () => this.#terminate(),
      kill: () => this.#kill(),
    })
  }

  /** The turn's number, counted from 1; empty before the first. */
  get name(): string {
    return this.#turn === 0 ? '' : String(this.#turn)
  }

  /** How many turns there were. */
  get count(): number {
    return this.#turn
  }

  /** Whether a prompt is open, or a cancelled turn is still being ended. */
  get busy(): boolean {
    return this.#clock.running || this.#clock.cancelling || this.#held.size > 0
  }

  /** A prompt of the editor; `sent` is called when the agent has it. */
  prompt(frame: RequestFrame, bytes: Buffer, sent: () => void): void | Promise<void> {
    const forward = async (): Promise<void> => {
      await this.#host.relay.forwardRequest(frame, bytes)
      sent()
    }
    // What an agent makes of a second prompt is its own matter: it belongs to the running turn.
    if (this.#clock.running && this.#held.size === 0) return this.#queue.now(forward)
    const key = idKey(frame.id)
    this.#held.set(key, frame)
    return this.#queue.later(async () => {
      if (!this.#clock.running) await this.#begin(key)
      // Cancelled or failed while it waited: it was answered.
      if (!this.#held.delete(key)) return
      this.#clock.on('prompt')
      await forward()
    })
  }

  /** Does `work` now, or after a prompt that is held back: the agent sees frames in their order. */
  inOrder(work: () => void | Promise<void>): void | Promise<void> {
    return this.#queue.now(work)
  }

  /** Whether a prompt of this id has not reached the agent. */
  holds(key: string): boolean {
    return this.#held.has(key)
  }

  /** Takes the held prompts away, to answer them or to send them elsewhere. */
  takeHeld(): RequestFrame[] {
    const held = [...this.#held.values()]
    this.#held.clear()
    return held
  }

  /** `session/cancel`; `relay` passes it on to the agent. */
  cancel(relay: () => void): void {
    this.#host.record('cancel', { step: 'asked' })
    const held = this.takeHeld()
    for (const frame of held) this.#answerHeld(frame)
    if (held.length > 0 && !this.#clock.running && !this.#clock.cancelling) return
    this.#cancel = relay
    this.#clock.on('cancel')
  }

  /** `$/cancel_request`; for a prompt the same as `session/cancel`. */
  cancelRequest(key: string, frame: NotificationFrame): void | Promise<void> {
    const { relay } = this.#host
    const held = this.#held.get(key)
    if (held !== undefined) {
      this.#held.delete(key)
      return this.#answerHeld(held)
    }
    if (!relay.isWaitingFor(key, PROMPT)) {
      return this.inOrder(() => relay.forwardNotification(frame.bytes))
    }
    return this.cancel(() => {
      relay.forwardNotification(frame.bytes)
      const params = { sessionId: this.#host.agentId() }
      relay.forwardNotification(notification('session/cancel', params))
    })
  }

  /** A message of init: untrusted. */
  fromInit(message: Record<string, unknown>): void {
    const report = this.#init.receive(message, this.#clock.interrupted)
    if (report === undefined) return
    const { processes, left } = report
    if (processes.length + left > 0) {
      this.#host.record('cancel', { step: 'reaped', processes, left })
    }
    this.#clock.on(left > 0 ? 'left' : 'reaped')
  }

  /** What becomes of the agent's frame, as the relay asks. */
  judge(frame: RequestFrame | NotificationFrame): 'pass' | 'drop' | 'cancel' {
    if (frame.kind === 'request') {
      return this.#clock.cancelling || this.#output.closed ? 'cancel' : 'pass'
    }
    const update = paramsRecord(frame)['update']
    if (frame.method !== 'session/update' || !isRecord(update)) return 'pass'
    return this.#output.see(update) ? 'pass' : 'drop'
  }

  /** The agent's answer as the editor gets it: to a cancelled prompt always `cancelled`. */
  answering({ method, raw }: Pending, frame: ResponseFrame): Buffer | undefined {
    if (method !== PROMPT || !this.#clock.cancelling) return undefined
    this.#close()
    const result = frame.message['result']
    if (!isRecord(result) || !('stopReason' in result)) return resultReplyRaw(raw, CANCELLED)
    return rewrite(frame, { id: raw, result: { stopReason: '"cancelled"' } })
  }

  /** The editor has the agent's answer. */
  answered(method: string): void {
    if (method !== PROMPT) return
    if (this.#host.relay.waiting().some((open) => open.method === PROMPT)) return
    this.#host.turn('')
    this.#clock.on('answered')
  }

  /** The container is gone; a cancelled prompt is answered, tool calls are closed. */
  containerEnded(): void {
    this.#clock.on('container-ended')
    this.#failCalls(this.#output.close().failed)
  }

  /** Ends the open turn `cancelled` although nobody cancelled it: the container is exchanged. */
  interrupt(): void {
    this.#host.record('cancel', { step: 'interrupted' })
    this.#answerAll()
  }

  /** Resolves when nothing more of a replay comes; some agents tell it after their answer. */
  async quiet(): Promise<void> {
    const until = performance.now() + REPLAY_BOUND
    do {
      // oxlint-disable-next-line no-await-in-loop -- it is the waiting that is wanted
      await sleep(QUIET)
    } while (this.#output.quietFor < QUIET && performance.now() < until)
  }

  [Symbol.dispose](): void {
    this.#clock[Symbol.dispose]()
  }

  async #begin(key: string): Promise<void> {
    // Init would take what the next turn starts for the cancelled one's.
    await this.#clock.settled()
    if (!this.#held.has(key)) return
    this.#turn += 1
    this.#host.turn(this.name)
    await this.#init.mark(this.name)
    await this.#host.turnStarts()
    if (this.#held.has(key)) this.#output.begin()
    else this.#host.turn('')
  }

  #relayCancel(): void {
    this.#cancel?.()
    this.#host.relay.cancelQuestions()
  }

  #answerAll(): void {
    const open = this.#host.relay.abandon(PROMPT)
    if (open.length === 0) return
    this.#close()
    for (const { raw } of open) void this.#host.toEditor(resultReplyRaw(raw, CANCELLED))
    this.#host.turn('')
  }

  #answerHeld(frame: RequestFrame): void {
    for (const bytes of cancelledUnseen(this.#host.editorId(), frame)) {
      void this.#host.toEditor(bytes)
    }
  }

  /** What the agent left open is closed before the answer. */
  #close(): void {
    const { failed, lines } = this.#output.close()
    this.#failCalls(failed)
    for (const line of lines) void this.#host.toEditor(notice(this.#host.editorId(), line))
  }

  #failCalls(ids: string[]): void {
    const sessionId = this.#host.editorId()
    for (const toolCallId of ids) {
      const update = { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' }
      void this.#host.toEditor(notification('session/update', { sessionId, update }))
    }
  }

  #terminate(): void {
    this.#host.record('cancel', { step: 'terminated' })
    this.#host.signal('SIGTERM')
    this.#host.end(OVER)
  }

  #kill(): void {
    this.#host.record('cancel', { step: 'killed' })
    this.#host.signal('SIGKILL')
  }
}

/** What the editor gets for a prompt that was cancelled before an agent saw it. */
export function cancelledUnseen(editorId: string, frame: RequestFrame): Buffer[] {
  return [notice(editorId, WHOLE_TURN), resultReplyRaw(rawId(frame), CANCELLED)]
}
