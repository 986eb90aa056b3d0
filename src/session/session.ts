/** One ACP session: its container, its border and the relay between them and the editor. */
import { AgentRelay } from '../acp/agent-relay.ts'
import {
  rewrite,
  type Frame,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from '../acp/frame.ts'
import { errorReplyRaw, notice, resultReplyRaw } from '../acp/replies.ts'
import type { AuditData, AuditType } from '../audit/record.ts'
import type { Proxy } from '../egress/proxy.ts'
import { RPC, sentenceOf } from '../errors.ts'
import type { Policy } from '../policy/merge.ts'
import type { AgentContainer, Ending } from './agent-container.ts'
import { recordOfAgent, recordOfAnswer } from './agent-record.ts'
import type { Grace } from './cancel-ladder.ts'
import { Turns } from './cancel-turns.ts'
import { endBoth } from './end-both.ts'
import { endingSentence, isOutOfMemory } from './ending.ts'
import { LimitNotices } from './limit-notices.ts'
import { eachPart, type LiveSession, type ProjectPart } from './project-parts.ts'

/** Requests after whose failure there is no session. */
const OPENING = new Set(['session/new', 'session/load', 'session/resume'])
/** Requests after whose answer the container is not needed: the last two never had a session. */
const LAST_ANSWERS = new Set(['session/close', 'session/list', 'session/delete'])

export type SessionParts = {
  /** Our own id, the one on the labels. */
  id: string
  container: AgentContainer
  proxy: Proxy
  /** Lines of Glovebox's own, shown with the first prompt. */
  notices: string[]
  /** Whether the agent answers `session/close`. */
  closes: boolean
  /** The times of its cancel ladder. */
  grace: Grace
  /** Patterns of command lines that a cancel spares. */
  helpers: readonly string[]
  limits: Policy['limits']
  /** The name of who stopped the session with `glovebox stop`, if anybody did. */
  stoppedBy: () => string | undefined
  /** What takes part for the project's sake. */
  projectParts: readonly ProjectPart[]
}

export type SessionEvents = {
  toEditor: (frame: Buffer) => void | Promise<void>
  /** Takes the agent's session id; gives the one the editor shall use. */
  onOpen: (session: Session, agentId: string) => string
  onGone: (session: Session) => void
  record: (type: AuditType, data: AuditData) => void
}

/** A session from the start of its container to the end. */
export class Session implements AsyncDisposable {
  readonly id: string
  readonly relay: AgentRelay
  readonly #parts: SessionParts
  readonly #events: SessionEvents
  #agentId = ''
  #editorId = ''
  readonly #turns: Turns
  readonly #limits: LimitNotices
  #closing = false
  #ended: string | undefined
  #disposal: Promise<void> | undefined

  constructor(prefix: string, parts: SessionParts, events: SessionEvents) {
    this.id = parts.id
    this.#parts = parts
    this.#events = events
    this.relay = new AgentRelay(prefix, parts.container.stdin, parts.container.stdout, {
      toEditor: (frame) => events.toEditor(frame),
      onSession: (agentId) => this.#opened(agentId),
      onRefusal: (method, reason) => this.record('refusal', { method, reason }),
      onFrame: (frame) => this.#fromAgent(frame),
      judge: (frame) => this.#turns.judge(frame),
      answering: (pending, frame) => {
        if (pending.method === 'session/prompt') this.#tellLimits()
        return this.#turns.answering(pending, frame)
      },
      onAnswered: (method, answer) => this.#answered(method, answer.failed),
    })
    this.#limits = new LimitNotices(parts.limits)
    this.#turns = this.#newTurns()
    for (const part of parts.projectParts) part.started?.(this.#forParts())
    void parts.container.ended.then((ending) => this.#died(ending))
    void parts.proxy.closed.then(() => this.#borderClosed())
  }

  /** Why the session can no longer be used; undefined while it can. */
  get ended(): string | undefined {
    return this.#ended
  }

  /** Takes an id that the editor named: `session/load` and `session/resume` replay before they answer. */
  adopt(sessionId: string): void {
    this.#agentId = sessionId
    this.#editorId = this.#events.onOpen(this, sessionId)
    this.relay.adopt(sessionId)
  }

  /** A request of the editor that names this session. */
  request(frame: RequestFrame): void | Promise<void> {
    if (this.#ended !== undefined) {
      return this.#events.toEditor(
        errorReplyRaw(JSON.stringify(frame.id), RPC.internal, this.#ended),
      )
    }
    if (frame.method === 'session/close' && !this.#parts.closes) return this.#closeLocally(frame)
    const bytes = this.#forAgent(frame)
    if (frame.method === 'session/prompt') {
      return this.#turns.prompt(frame, bytes, () => void this.#showNotices())
    }
    return this.#turns.inOrder(() => this.relay.forwardRequest(frame, bytes))
  }

  /** A notification of the editor that names this session. */
  notify(frame: NotificationFrame): void | Promise<void> {
    if (this.#ended !== undefined) return
    const bytes = this.#forAgent(frame)
    if (frame.method === 'session/cancel') {
      this.#turns.cancel(() => this.relay.forwardNotification(bytes))
      return
    }
    return this.#turns.inOrder(() => this.relay.forwardNotification(bytes))
  }

  /** Whether a request of this id key waits here for its answer. */
  isWaitingFor(key: string): boolean {
    return this.relay.isWaitingFor(key) || this.#turns.holds(key)
  }

  /** `$/cancel_request` for a request of this session; `key` is the request's id. */
  cancelRequest(key: string, frame: NotificationFrame): void | Promise<void> {
    return this.#turns.cancelRequest(key, frame)
  }

  /** A message of init, from inside the container: untrusted. */
  fromInit(message: Record<string, unknown>): void {
    const limit = this.#limits.fromInit(message)
    if (limit !== undefined) this.record('limit', { limit })
    this.#turns.fromInit(message)
  }

  /** The editor's answer to a question of this session's agent. */
  answer(frame: ResponseFrame): void | Promise<void> {
    const found = recordOfAnswer(frame)
    if (found !== undefined) this.record(found.type, found.data)
    return this.relay.forwardAnswer(frame)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose()
    return this.#disposal
  }

  async #dispose(): Promise<void> {
    this.#closing = true
    this.#turns[Symbol.dispose]()
    const { container, proxy } = this.#parts
    // The proxy goes last: while it lives, init has its heartbeat and the agent its way to end well.
    try {
      await endBoth(container, proxy)
      await eachPart(this.#parts.projectParts, 'dispose', this.#forParts())
      this.record('session.close', {})
    } catch (error) {
      // With the engine gone nothing can be removed: it ends by itself, or is swept later.
      this.record('session.close', { left: sentenceOf(error) })
    }
  }

  #opened(agentId: string): string {
    this.#agentId = agentId
    this.#editorId = this.#events.onOpen(this, agentId)
    return this.#editorId
  }

  #forAgent(frame: RequestFrame | NotificationFrame): Buffer {
    if (this.#editorId === this.#agentId) return frame.bytes
    return rewrite(frame, { params: { sessionId: JSON.stringify(this.#agentId) } })
  }

  #newTurns(): Turns {
    const { container, proxy, grace, helpers } = this.#parts
    return new Turns({
      relay: this.relay,
      grace,
      helpers,
      editorId: () => this.#editorId,
      agentId: () => this.#agentId,
      toInit: (message) => proxy.toInit(message),
      turn: (turn) => proxy.turn(turn),
      turnStarts: () => eachPart(this.#parts.projectParts, 'turnStarts', this.#forParts()),
      toEditor: (frame) => this.#events.toEditor(frame),
      // A signal that cannot be sent is followed by the next one, and by the removal.
      signal: (signal) => void container.signal(signal).catch(() => undefined),
      record: (type, data) => this.record(type, data),
      end: (why) => this.#end(why),
    })
  }

  async #showNotices(): Promise<void> {
    for (const text of [...this.#parts.notices.splice(0), ...this.#limits.take()]) {
      await this.#events.toEditor(notice(this.#editorId, text))
    }
  }

  /** Before the answer of the turn that hit them, so that it is read where it happened. */
  #tellLimits(): void {
    for (const text of this.#limits.take()) {
      void this.#events.toEditor(notice(this.#editorId, text))
    }
  }

  #fromAgent(frame: Frame): void {
    const found = recordOfAgent(frame)
    if (found !== undefined) this.record(found.type, found.data)
  }

  /** The session as its project parts see it. */
  #forParts(): LiveSession {
    const { container } = this.#parts
    return {
      record: (type, data) => this.record(type, data),
      notify: (text) => {
        if (this.#editorId !== '') void this.#events.toEditor(notice(this.#editorId, text))
        else this.#parts.notices.push(text)
      },
      pause: () => container.pause(),
      unpause: () => container.unpause(),
      restart: (reason) => void this.#stop(reason),
    }
  }

  /** The container goes at once: what it could see or do next is the reason. */
  async #stop(reason: string): Promise<void> {
    if (this.#closing || this.#ended !== undefined) return
    this.record('error', { message: reason })
    await this.#parts.container.signal('SIGKILL').catch(() => undefined)
    this.#forParts().notify(reason)
    await this.#fail(reason)
  }

  #answered(method: string, failed: boolean): void {
    this.#turns.answered(method)
    if (method === 'session/prompt') {
      void eachPart(this.#parts.projectParts, 'turnEnded', this.#forParts())
    }
    if (LAST_ANSWERS.has(method) || (OPENING.has(method) && failed)) void this.#leave()
  }

  async #died(ending: Ending): Promise<void> {
    await Promise.race([this.relay.drained, new Promise((resolve) => setTimeout(resolve, 500))])
    if (this.#closing) return
    const outOfMemory = isOutOfMemory(ending, this.#limits)
    this.record('container.end', { exitCode: ending.exitCode, outOfMemory })
    const { limits, stoppedBy } = this.#parts
    await this.#fail(endingSentence({ ...ending, outOfMemory }, limits, stoppedBy()))
  }

  async #borderClosed(): Promise<void> {
    if (this.#closing || this.#ended !== undefined) return
    this.record('error', { message: 'the egress proxy ended' })
    await this.#fail('The egress proxy of this session ended, so the session ended too.')
  }

  async #fail(why: string): Promise<void> {
    this.#end(why)
    this.#turns.containerEnded()
    await this.#failOpenRequests()
    await this.#leave()
  }

  async #failOpenRequests(): Promise<void> {
    for (const { raw } of [...this.relay.abandon(), ...this.#turns.abandonHeld()]) {
      await this.#events.toEditor(errorReplyRaw(raw, RPC.internal, this.#ended ?? ''))
    }
    for (const frame of this.relay.withdrawals()) await this.#events.toEditor(frame)
  }

  #end(why: string): void {
    this.#ended ??= `${why} Start a new session to go on.`
  }

  async #closeLocally(frame: RequestFrame): Promise<void> {
    await this.#events.toEditor(resultReplyRaw(JSON.stringify(frame.id), {}))
    await this.#leave()
  }

  async #leave(): Promise<void> {
    this.#end('The session was closed.')
    this.#events.onGone(this)
    await this[Symbol.asyncDispose]()
  }

  /** Writes into the audit log; a session that cannot be recorded ends. */
  record(type: AuditType, data: AuditData): void {
    const turn = this.#turns.name === '' ? {} : { turn: this.#turns.name }
    try {
      this.#events.record(type, { session: this.id, ...turn, ...data })
    } catch (error) {
      if (this.#ended === undefined) void this.#fail(sentenceOf(error))
    }
  }
}
