/**
 * One ACP session as the editor sees it: it outlives its container. What is exchanged is a `Live`.
 *
 * While there is no container, requests wait; the first of them starts a new one, in which the agent
 * goes on with the session. Every start is asked for by the editor or by `restart`, and bounded.
 */
import {
  rewrite,
  type Frame,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from '../acp/frame.ts'
import { errorReplyRaw, notice, resultReplyRaw } from '../acp/replies.ts'
import type { AuditData, AuditType } from '../audit/record.ts'
import { GloveboxError, RPC, sentenceOf } from '../errors.ts'
import { recordOfAgent, recordOfAnswer } from './agent-record.ts'
import { Choices } from './choices.ts'
import { isLast, opens } from './last-answers.ts'
import { updateOf, type Death, type Live, type LiveHost } from './live.ts'
import { canReopen, newMemory, type Memory } from './reopen.ts'
import { Revival } from './revival.ts'
import type { SessionEvents, SessionParts } from './session-parts.ts'

const PROMPT = 'session/prompt'

/** A session from the start of its first container to the end. */
export class Session implements AsyncDisposable {
  readonly id: string
  readonly #parts: SessionParts
  readonly #events: SessionEvents
  readonly #host: LiveHost
  readonly #memory: Memory
  readonly #choices = new Choices()
  readonly #revival: Revival
  /** Requests that came back from a container once. */
  readonly #returned = new WeakSet<RequestFrame>()
  readonly #stop = new AbortController()
  /** The container that serves the session; undefined while there is none. */
  #live: Live | undefined
  /** The newest container, also when it is ending or gone. */
  #newest: Live | undefined
  #containers = 0
  #opened = false
  #ended: string | undefined
  #disposal: Promise<void> | undefined

  constructor(parts: SessionParts, events: SessionEvents) {
    this.id = parts.id
    this.#parts = parts
    this.#events = events
    this.#host = this.#liveHost()
    this.#memory = newMemory(parts.params, parts.keeps, this.#choices)
    this.#revival = this.#newRevival()
  }

  /** Why the session can no longer be used; undefined while it can. */
  get ended(): string | undefined {
    return this.#ended
  }

  /** Starts the first container and sends it the request that opens the session. */
  async open(frame: RequestFrame, bytes: Buffer, named: string | undefined): Promise<void> {
    const live = await this.#start()
    // `session/load` and `session/resume` replay before they answer.
    if (named !== undefined) {
      this.#memory.untouched = this.#memory.unspoken = false
      live.relay.adopt(named, this.#named(named))
    }
    this.#live = live
    live.watch()
    await live.relay.forwardRequest(frame, bytes)
  }

  /** A request of the editor that names this session. */
  request(frame: RequestFrame): void | Promise<void> {
    if (this.#ended !== undefined) return this.#refuse(frame, this.#ended)
    const live = this.#live
    if (frame.method === 'session/close' && !(live && this.#parts.closes)) {
      return this.#closeLocally(frame)
    }
    if (live === undefined) return this.#revival.keep(frame)
    this.#choices.asked(frame)
    return live.request(frame, this.#forAgent(frame), () => {
      this.#memory.untouched = false
      for (const text of this.#parts.notices.splice(0)) this.#notify(text)
    })
  }

  /** A notification of the editor that names this session. */
  notify(frame: NotificationFrame): void | Promise<void> {
    if (this.#ended !== undefined) return
    if (frame.method === 'session/cancel') this.#revival.cancel()
    return this.#live?.notify(frame, this.#forAgent(frame))
  }

  /** Whether a request of this id key waits here for its answer. */
  isWaitingFor(key: string): boolean {
    return this.#revival.holds(key) || this.#newest?.isWaitingFor(key) === true
  }

  /** Whether the editor is asked something under this id. */
  hasAsked(id: ResponseFrame['id']): boolean {
    return this.#newest?.relay.hasAsked(id) === true
  }

  /** `$/cancel_request` for a request of this session; `key` is the request's id. */
  cancelRequest(key: string, frame: NotificationFrame): void | Promise<void> {
    if (this.#revival.cancel(key)) return
    return this.#live?.turns.cancelRequest(key, frame)
  }

  /** The editor's answer to a question of this session's agent. */
  answer(frame: ResponseFrame): void | Promise<void> {
    const found = recordOfAnswer(frame)
    if (found !== undefined) this.record(found.type, found.data)
    return this.#newest?.relay.forwardAnswer(frame)
  }

  /**
   * Exchanges the container at once, with fresh mounts. `reason` is told to the user; a prompt that
   * runs ends `cancelled`. Resolves when the session goes on. Errors: those of a start; the session
   * then goes on with the next prompt, or has ended.
   */
  async restart(reason: string): Promise<void> {
    const live = this.#live
    if (live === undefined) return await this.#revival.begin()
    // At once: what the agent could see or do next may be the reason.
    const killed = live.kill()
    this.record('error', { message: reason })
    this.#notify(reason)
    this.#revival.told = true
    live.turns.interrupt()
    this.#doomed(live, reason)
    await killed
    if (this.#ended !== undefined) throw new GloveboxError('session_ended', this.#ended)
    await this.#revival.begin()
  }

  /** Writes into the audit log; a session that cannot be recorded ends. */
  record(type: AuditType, data: AuditData): void {
    const turn = this.#newest?.turns.name ?? ''
    try {
      this.#events.record(type, { session: this.id, ...(turn === '' ? {} : { turn }), ...data })
    } catch (error) {
      if (this.#ended === undefined) void this.#fail(sentenceOf(error))
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose()
    return this.#disposal
  }

  async #dispose(): Promise<void> {
    const why = this.#ended ?? 'The session was closed.'
    this.#stop.abort(new GloveboxError('session_ended', why))
    try {
      await this.#newest?.[Symbol.asyncDispose]()
      await this.#revival.settled()
      this.record('session.close', {})
    } catch (error) {
      // With the engine gone nothing can be removed: it ends by itself, or is swept later.
      this.record('session.close', { left: sentenceOf(error) })
    }
  }

  #liveHost(): LiveHost {
    return {
      toEditor: (frame) => this.#events.toEditor(frame),
      onSession: (agentId) => this.#named(agentId),
      editorId: () => this.#memory.editorId,
      agentId: () => this.#memory.agentId,
      record: (type, data) => this.record(type, data),
      notify: (text) => this.#notify(text),
      restart: (reason) => void this.restart(reason).catch(() => undefined),
      onFrame: (frame) => this.#fromAgent(frame),
      onAnswered: (method, answer) => this.#answered(method, answer),
      onReturned: (frame) => void this.#takeBack(frame),
      onDoomed: (live, why) => this.#doomed(live, why),
      onDied: (live, death) => void this.#died(live, death),
    }
  }

  #newRevival(): Revival {
    return new Revival({
      memory: this.#memory,
      old: () => this.#newest,
      start: () => this.#start(),
      serve: (live, text) => {
        this.#parts.notices.push(text)
        this.#live = live
        live.watch()
      },
      request: (frame) => void this.request(frame),
      toEditor: (frame) => void this.#events.toEditor(frame),
      record: (data) => this.record('session.restore', data),
    })
  }

  #named(agentId: string): string {
    this.#memory.agentId = agentId
    this.#memory.editorId = this.#events.onOpen(this, agentId)
    return this.#memory.editorId
  }

  async #start(): Promise<Live> {
    this.#containers += 1
    const again = this.#containers > 1
    const live = await this.#parts.start({
      host: this.#host,
      prefix: again ? `${this.#parts.prefix}r${this.#containers}` : this.#parts.prefix,
      earlier: again ? { turn: this.#newest?.turns.count ?? 0 } : undefined,
      left: AbortSignal.any([this.#stop.signal, this.#events.left]),
    })
    this.#newest = live
    if (!this.#stop.signal.aborted) return live
    await live[Symbol.asyncDispose]()
    throw this.#stop.signal.reason
  }

  #forAgent(frame: RequestFrame | NotificationFrame): Buffer {
    const { agentId, editorId } = this.#memory
    if (editorId === agentId) return frame.bytes
    return rewrite(frame, { params: { sessionId: JSON.stringify(agentId) } })
  }

  #notify(text: string): void {
    const { editorId } = this.#memory
    if (editorId === '') this.#parts.notices.push(text)
    else void this.#events.toEditor(notice(editorId, text))
  }

  #fromAgent(frame: Frame): void {
    const found = recordOfAgent(frame)
    if (found !== undefined) this.record(found.type, found.data)
    const update = updateOf(frame)
    if (update !== undefined) this.#choices.seen(update)
  }

  #answered(method: string, answer: ResponseFrame): void {
    this.#choices.answered(answer)
    if (method === PROMPT && !answer.failed) this.#memory.unspoken = false
    if (opens(method) && !answer.failed) this.#opened = true
    if (isLast(method, answer.failed)) void this.#leave()
  }

  /** A request comes back from a container that ends; a second time it is refused. */
  #takeBack(frame: RequestFrame): void | Promise<void> {
    if (this.#returned.has(frame)) return this.#refuse(frame, this.#revival.why)
    this.#returned.add(frame)
    return this.request(frame)
  }

  #doomed(live: Live, why: string): void {
    if (this.#live !== live) return
    this.#live = undefined
    this.#revival.why = why
    if (!this.#opened || !canReopen(live, this.#memory)) this.#end(why)
    live.retire()
  }

  async #died(live: Live, { why, ending, stopped }: Death): Promise<void> {
    if (this.#stop.signal.aborted) return
    if (ending === undefined) this.record('error', { message: why })
    else this.record('container.end', { ...ending })
    if (stopped) this.#end(why)
    this.#doomed(live, why)
    const sentence =
      this.#ended ?? `${why} Send the prompt again: the session goes on in a new container.`
    await this.#failOpen(live, sentence)
    if (this.#ended !== undefined) return await this.#leave()
    // Without an engine it cannot be removed; the next start tries again.
    await live[Symbol.asyncDispose]().catch(() => undefined)
  }

  async #fail(why: string): Promise<void> {
    this.#end(why)
    if (this.#newest !== undefined) await this.#failOpen(this.#newest, this.#ended ?? why)
    await this.#leave()
  }

  async #failOpen(live: Live, why: string): Promise<void> {
    for (const { raw } of await live.detach()) {
      await this.#events.toEditor(errorReplyRaw(raw, RPC.internal, why))
    }
  }

  #end(why: string): void {
    this.#ended ??= `${why} Start a new session to go on.`
  }

  #refuse(frame: RequestFrame, why: string): void | Promise<void> {
    return this.#events.toEditor(errorReplyRaw(JSON.stringify(frame.id), RPC.internal, why))
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
}
