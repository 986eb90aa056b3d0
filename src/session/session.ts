/** One ACP session: its container, its border and the relay between them and the editor. */
import { AgentRelay } from '../acp/agent-relay.ts'
import {
  isRecord,
  paramsRecord,
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
import type { AgentContainer, Ending } from './agent-container.ts'

/** After `session/cancel` the prompt is answered within this bound, in ms, whatever the agent does. */
const CANCEL_BOUND = 8_000

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
  #turn = 0
  #closing = false
  #ended: string | undefined
  #cancelTimer: NodeJS.Timeout | undefined
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
      onAnswered: (method, answer) => this.#answered(method, answer.failed),
    })
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
    if (frame.method === 'session/prompt') this.#prompt()
    const sent = this.relay.forwardRequest(frame, this.#forAgent(frame))
    return frame.method === 'session/prompt' ? this.#withNotices(sent) : sent
  }

  /** A notification of the editor that names this session. */
  notify(frame: NotificationFrame): void | Promise<void> {
    if (this.#ended !== undefined) return
    if (frame.method === 'session/cancel') this.#cancel()
    return this.relay.forwardNotification(this.#forAgent(frame))
  }

  /** The editor's answer to a question of this session's agent. */
  answer(frame: ResponseFrame): void | Promise<void> {
    const result = frame.message['result']
    const outcome = isRecord(result) ? result['outcome'] : undefined
    if (outcome !== undefined) this.record('permission.answer', { outcome: outcomeOf(outcome) })
    return this.relay.forwardAnswer(frame)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose()
    return this.#disposal
  }

  async #dispose(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#cancelTimer)
    const { container, proxy } = this.#parts
    // The proxy goes last: while it lives, init has its heartbeat and the agent its way to end well.
    try {
      await endBoth(container, proxy)
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

  #prompt(): void {
    this.#turn += 1
    this.#parts.proxy.turn(String(this.#turn))
  }

  async #withNotices(sent: void | Promise<void>): Promise<void> {
    await sent
    for (const text of this.#parts.notices.splice(0)) {
      await this.#events.toEditor(notice(this.#editorId, text))
    }
  }

  #fromAgent(frame: Frame): void {
    if (frame.kind === 'response') return
    const params = paramsRecord(frame)
    if (frame.method === 'session/request_permission') {
      const call = isRecord(params['toolCall']) ? params['toolCall'] : {}
      this.record('permission.asked', { toolCall: call['toolCallId'], title: call['title'] })
    }
    const update = isRecord(params['update']) ? params['update'] : {}
    if (frame.method === 'session/update' && update['sessionUpdate'] === 'tool_call') {
      const { toolCallId, title, kind } = update
      this.record('tool_call', { toolCall: toolCallId, title, kind })
    }
  }

  #answered(method: string, failed: boolean): void {
    if (method === 'session/prompt') {
      clearTimeout(this.#cancelTimer)
      this.#parts.proxy.turn('')
    }
    if (LAST_ANSWERS.has(method) || (OPENING.has(method) && failed)) void this.#leave()
  }

  #cancel(): void {
    this.record('cancel', { turn: String(this.#turn) })
    this.relay.cancelQuestions()
    clearTimeout(this.#cancelTimer)
    this.#cancelTimer = setTimeout(() => void this.#cancelOverdue(), CANCEL_BOUND)
  }

  /** The agent did not stop: the prompt ends `cancelled` all the same, and the container goes. */
  async #cancelOverdue(): Promise<void> {
    const open = this.relay.abandon('session/prompt')
    if (open.length === 0) return
    this.#end('The agent did not stop when it was cancelled, so its container was ended.')
    for (const { raw } of open) {
      await this.#events.toEditor(resultReplyRaw(raw, { stopReason: 'cancelled' }))
    }
    await this.#parts.container.kill().catch(() => undefined)
  }

  async #died(ending: Ending): Promise<void> {
    await Promise.race([this.relay.drained, new Promise((resolve) => setTimeout(resolve, 500))])
    if (this.#closing) return
    this.record('container.end', { exitCode: ending.exitCode, outOfMemory: ending.outOfMemory })
    await this.#fail(endingSentence(ending))
  }

  async #borderClosed(): Promise<void> {
    if (this.#closing || this.#ended !== undefined) return
    this.record('error', { message: 'the egress proxy ended' })
    await this.#fail('The egress proxy of this session ended, so the session ended too.')
  }

  async #fail(why: string): Promise<void> {
    this.#end(why)
    await this.#failOpenRequests()
    await this.#leave()
  }

  async #failOpenRequests(): Promise<void> {
    for (const { raw } of this.relay.abandon()) {
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
    const turn = this.#turn === 0 ? {} : { turn: String(this.#turn) }
    try {
      this.#events.record(type, { session: this.id, ...turn, ...data })
    } catch (error) {
      if (this.#ended === undefined) void this.#fail(sentenceOf(error))
    }
  }
}

async function endBoth(container: AsyncDisposable, proxy: AsyncDisposable): Promise<void> {
  try {
    await container[Symbol.asyncDispose]()
  } finally {
    await proxy[Symbol.asyncDispose]()
  }
}

function endingSentence({ exitCode, outOfMemory }: Ending): string {
  if (outOfMemory)
    return 'The agent’s container was killed (exit code 137), perhaps for its memory limit.'
  if (exitCode === undefined) return 'The connection to the agent’s container broke.'
  return `The agent’s container ended with exit code ${exitCode}.`
}

function outcomeOf(outcome: unknown): string {
  if (!isRecord(outcome)) return 'invalid'
  return outcome['outcome'] === 'selected'
    ? String(outcome['optionId'])
    : String(outcome['outcome'])
}
