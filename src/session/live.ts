/** What of a session is exchanged when its container ends: container, border, relay and turns. */
import { AgentRelay, type Pending } from '../acp/agent-relay.ts'
import {
  isRecord,
  paramsRecord,
  type Frame,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from '../acp/frame.ts'
import type { AuditData, AuditType } from '../audit/record.ts'
import type { Proxy } from '../egress/proxy.ts'
import type { Policy } from '../policy/merge.ts'
import type { AgentContainer, Ending } from './agent-container.ts'
import type { Grace } from './cancel-ladder.ts'
import { Turns, type Earlier } from './cancel-turns.ts'
import { endBoth } from './end-both.ts'
import { endingSentence, isOutOfMemory } from './ending.ts'
import { LimitNotices } from './limit-notices.ts'
import { eachPart, type LiveSession, type ProjectPart } from './project-parts.ts'

const PROMPT = 'session/prompt'

export type LiveParts = {
  container: AgentContainer
  proxy: Proxy
  /** The times of its cancel ladder. */
  grace: Grace
  /** Patterns of command lines that a cancel spares. */
  helpers: readonly string[]
  limits: Policy['limits']
  /** The name of who stopped the session with `glovebox stop`, if anybody did. */
  stoppedBy: () => string | undefined
  /** What takes part for the project's sake. */
  projectParts: readonly ProjectPart[]
  /** Distinguishes this container's request ids from all others on the connection. */
  prefix: string
  /** Set when the session had a container before. */
  earlier: Earlier | undefined
}

/** How a container or its border ended, as a sentence and for the audit log. */
export type Death = {
  why: string
  /** Absent when it was the border that ended. */
  ending?: Ending
  /** Somebody stopped the session on purpose. */
  stopped: boolean
}

/** The session, as its container sees it. */
export type LiveHost = {
  toEditor: (frame: Buffer) => void | Promise<void>
  /** The agent answered `session/new`; gives the id the editor shall use. */
  onSession: (agentId: string) => string
  /** The session's id, as the editor and as the agent knows it. */
  editorId: () => string
  agentId: () => string
  record: (type: AuditType, data: AuditData) => void
  /** A line of Glovebox's own, at once or with the first prompt. */
  notify: (text: string) => void
  /** As `Session.restart`. */
  restart: (reason: string) => void
  onFrame: (frame: Frame) => void
  onAnswered: (method: string, answer: ResponseFrame) => void
  /** A request that did not reach the agent and never will. */
  onReturned: (frame: RequestFrame) => void
  /** The container is about to end, for this reason. */
  onDoomed: (live: Live, why: string) => void
  /** The container or its border ended, and all the agent said was relayed. */
  onDied: (live: Live, death: Death) => void
}

export class Live implements AsyncDisposable {
  readonly relay: AgentRelay
  readonly turns: Turns
  /** Resolves when the container or its border ended. */
  readonly died: Promise<Death>
  readonly #parts: LiveParts
  readonly #host: LiveHost
  readonly #limits: LimitNotices
  readonly #forParts: LiveSession
  #partsEnded: Promise<void> | undefined
  #retired = false
  #detached = false
  #watched = false
  #capabilities: Record<string, unknown> = {}

  constructor(parts: LiveParts, host: LiveHost) {
    this.#parts = parts
    this.#host = host
    this.#limits = new LimitNotices(parts.limits)
    this.#forParts = {
      record: host.record,
      notify: host.notify,
      pause: () => parts.container.pause(),
      unpause: () => parts.container.unpause(),
      restart: (reason) => this.#restart(reason),
    }
    this.relay = new AgentRelay(parts.prefix, parts.container.stdin, parts.container.stdout, {
      toEditor: (frame) => this.#toEditor(frame),
      onSession: (agentId) => host.onSession(agentId),
      onRefusal: (method, reason) => host.record('refusal', { method, reason }),
      onFrame: (frame) => host.onFrame(frame),
      judge: (frame) => this.turns.judge(frame),
      answering: (pending, frame) => {
        if (pending.method === PROMPT) this.#tellLimits()
        return this.turns.answering(pending, frame)
      },
      onAnswered: (method, answer) => this.#answered(method, answer),
    })
    this.turns = this.#newTurns()
    for (const part of parts.projectParts) part.started?.(this.#forParts)
    this.died = Promise.race([this.#containerEnded(), this.#borderClosed()])
  }

  /** What the agent itself answered to `initialize`. */
  initialized(answer: unknown): void {
    const capabilities = isRecord(answer) ? answer['agentCapabilities'] : undefined
    if (isRecord(capabilities)) this.#capabilities = capabilities
  }

  /** How the agent goes on with a session it kept. */
  get reopens(): 'session/resume' | 'session/load' | undefined {
    const { sessionCapabilities, loadSession } = this.#capabilities
    if (isRecord(sessionCapabilities) && isRecord(sessionCapabilities['resume'])) {
      return 'session/resume'
    }
    return loadSession === true ? 'session/load' : undefined
  }

  /** From now on its end is told. */
  watch(): void {
    this.#watched = true
    void this.died.then((death) => this.#host.onDied(this, death))
  }

  /** `bytes` is the frame as the agent gets it; `sent` is called when it has a prompt. */
  request(frame: RequestFrame, bytes: Buffer, sent: () => void): void | Promise<void> {
    if (frame.method === PROMPT) return this.turns.prompt(frame, bytes, sent)
    return this.turns.inOrder(() => {
      if (this.#retired) return this.#host.onReturned(frame)
      return this.relay.forwardRequest(frame, bytes)
    })
  }

  notify(frame: NotificationFrame, bytes: Buffer): void | Promise<void> {
    if (frame.method === 'session/cancel') {
      return this.turns.cancel(() => this.relay.forwardNotification(bytes))
    }
    return this.turns.inOrder(() => this.relay.forwardNotification(bytes))
  }

  /** A message of init, from inside the container: untrusted. */
  fromInit(message: Record<string, unknown>): void {
    const limit = this.#limits.fromInit(message)
    if (limit !== undefined) this.#host.record('limit', { limit })
    this.turns.fromInit(message)
  }

  /** Whether a request of this id key waits here for its answer. */
  isWaitingFor(key: string): boolean {
    return this.relay.isWaitingFor(key) || this.turns.holds(key)
  }

  /** Whether nothing is asked, answered or ended just now. */
  get idle(): boolean {
    return !this.turns.busy && this.relay.waiting().length === 0
  }

  /** It gets no request any more; those it has not got yet are returned. */
  retire(): void {
    if (this.#retired) return
    this.#retired = true
    for (const frame of this.turns.takeHeld()) this.#host.onReturned(frame)
  }

  /** Ends the conversation with the editor. The requests that are to be answered without the agent. */
  async detach(): Promise<Pending[]> {
    this.retire()
    this.turns.containerEnded()
    const open = this.relay.abandon()
    for (const frame of this.relay.withdrawals()) await this.#host.toEditor(frame)
    this.#detached = true
    return open
  }

  /** Removes both containers; may be called again after a failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.turns[Symbol.dispose]()
    const { container, proxy } = this.#parts
    // The proxy goes last: while it lives, init has its heartbeat and the agent its way to end well.
    await endBoth(container, proxy)
    this.#partsEnded ??= eachPart(this.#parts.projectParts, 'dispose', this.#forParts)
    await this.#partsEnded
  }

  /** Removes the container without waiting for the agent; never rejects. */
  async kill(): Promise<void> {
    await this.#parts.container.kill().catch(() => undefined)
  }

  /** Before the session is in use its start fails, and the next one tries again. */
  #restart(reason: string): void {
    if (this.#watched) return this.#host.restart(reason)
    this.#host.record('error', { message: reason })
    void this.kill()
  }

  #toEditor(frame: Buffer): void | Promise<void> {
    return this.#detached ? undefined : this.#host.toEditor(frame)
  }

  /** Before the answer of the turn that hit them, so that it is read where it happened. */
  #tellLimits(): void {
    for (const text of this.#limits.take()) this.#host.notify(text)
  }

  #answered(method: string, answer: ResponseFrame): void {
    this.turns.answered(method)
    if (method === PROMPT) void eachPart(this.#parts.projectParts, 'turnEnded', this.#forParts)
    this.#host.onAnswered(method, answer)
  }

  #newTurns(): Turns {
    const { container, proxy, grace, helpers, earlier } = this.#parts
    const { editorId, agentId, record, onDoomed } = this.#host
    return new Turns(
      {
        relay: this.relay,
        grace,
        helpers,
        editorId,
        agentId,
        toInit: (message) => proxy.toInit(message),
        turn: (turn) => proxy.turn(turn),
        turnStarts: () => eachPart(this.#parts.projectParts, 'turnStarts', this.#forParts),
        toEditor: (frame) => this.#toEditor(frame),
        // A signal that cannot be sent is followed by the next one, and by the removal.
        signal: (signal) => void container.signal(signal).catch(() => undefined),
        record,
        end: (why) => onDoomed(this, why),
      },
      earlier,
    )
  }

  async #containerEnded(): Promise<Death> {
    const ending = await this.#parts.container.ended
    await Promise.race([this.relay.drained, new Promise((resolve) => setTimeout(resolve, 500))])
    const outOfMemory = isOutOfMemory(ending, this.#limits)
    const { limits, stoppedBy } = this.#parts
    const who = stoppedBy()
    const why = endingSentence({ ...ending, outOfMemory }, limits, who)
    return { why, ending: { ...ending, outOfMemory }, stopped: who !== undefined }
  }

  async #borderClosed(): Promise<Death> {
    await this.#parts.proxy.closed
    return { why: 'The egress proxy of this session ended.', stopped: false }
  }
}

/** The update in a `session/update`. */
export function updateOf(frame: Frame): Record<string, unknown> | undefined {
  if (frame.kind !== 'notification' || frame.method !== 'session/update') return undefined
  const update = paramsRecord(frame)['update']
  return isRecord(update) ? update : undefined
}
