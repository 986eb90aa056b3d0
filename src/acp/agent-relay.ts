/** The relay between the editor and one agent container: routing, guarding, bookkeeping. */
import type { Readable, Writable } from 'node:stream'

import { RPC } from '../errors.ts'
import { CANCELLED_ANSWERS } from './cancelled-answers.ts'
import { FrameWriter } from './frame-writer.ts'
import {
  idKey,
  parseFrame,
  rawId,
  readHead,
  requestIdOf,
  rewrite,
  sessionIdOf,
  type Frame,
  type Head,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from './frame.ts'
import { judgeAgentFrame } from './guard.ts'
import { HeldFrames } from './held-frames.ts'
import { revealed } from './hidden-characters.ts'
import { withoutLogins } from './host-logins.ts'
import { IdTable } from './id-table.ts'
import type { Line } from './line-framer.ts'
import { OwnRequests } from './own-requests.ts'
import { pumpLines } from './pump-lines.ts'
import { errorReplyRaw, notification, request, resultReplyRaw } from './replies.ts'
import { openedId } from './session-new.ts'

export type RelayEvents = {
  /** A frame for the editor. The relay reads no further until the promise is settled. */
  toEditor: (frame: Buffer) => void | Promise<void>
  /** The agent answered `session/new`: the session is the container's from now on. */
  onSession: (agentSessionId: string) => string
  onRefusal: (method: string, reason: string) => void
  onFrame: (frame: Frame) => void
  /**
   * What becomes of a frame that the guard lets through: `cancel` answers a question as `cancelled`,
   * `drop` is for notifications. Everything passes when absent.
   */
  judge?: (frame: RequestFrame | NotificationFrame) => 'pass' | 'drop' | 'cancel'
  /** An answer for the editor in the place of the agent's, if there is to be one. */
  answering?: (pending: Pending, frame: ResponseFrame) => Buffer | undefined
  /** The editor's request was answered. */
  onAnswered: (method: string, answer: ResponseFrame) => void
}

/** Questions of one agent that wait for the editor; a conversation has one or two. */
const MAX_OPEN_QUESTIONS = 256

/** Bytes that wait for an agent that does not read, beyond which it gets no more. */
const MAX_UNREAD = 64 * 1024 * 1024

const OWN_LOGINS = 'the agent named log-ins of its own in an error'

/** A request of the editor: its id as spelled there. */
export type Pending = { raw: string; method: string }

/** Relays for one container; ends when the agent's output ends. */
export class AgentRelay {
  /** Resolves when the agent's output ended and everything before it was relayed. */
  readonly drained: Promise<void>
  readonly #events: RelayEvents
  readonly #toAgent: FrameWriter
  readonly #asked: IdTable
  /** Requests of the editor that the agent has not answered, by id key. */
  readonly #pending = new Map<string, Pending>()
  readonly #own = new OwnRequests()
  /** The agent's session id → the one the editor knows. */
  readonly #sessions = new Map<string, string>()
  readonly #held = new HeldFrames()
  #notJson = 0

  constructor(prefix: string, stdin: Writable, stdout: Readable, events: RelayEvents) {
    this.#events = events
    this.#toAgent = new FrameWriter(stdin)
    this.#asked = new IdTable(prefix)
    this.drained = this.#pump(stdout)
  }

  /** Lines of the agent's output that were no ACP frames. */
  get dropped(): number {
    return this.#notJson
  }

  /** Ids of the editor's requests that wait for this agent. */
  waiting(): Pending[] {
    return [...this.#pending.values()]
  }

  /** Whether a request of this id key, and of this method when one is named, waits for the agent. */
  isWaitingFor(key: string, method?: string): boolean {
    const pending = this.#pending.get(key)
    return pending !== undefined && (method ?? pending.method) === pending.method
  }

  /** Whether the editor is asked something under this id. */
  hasAsked(id: ResponseFrame['id']): boolean {
    return this.#asked.has(id)
  }

  /** A request of Glovebox's own; its answer never reaches the editor. Errors: `container_failed`. */
  async ask(method: string, params: unknown): Promise<unknown> {
    const { id, answer } = this.#own.open()
    await this.#toAgent.write(request(id, method, params))
    return answer
  }

  /**
   * Passes an editor's request on; `bytes` is the frame, changed where a rule says so. Never waits
   * for the agent: an agent that does not read must not hold up the editor's other sessions.
   */
  forwardRequest(frame: RequestFrame, bytes: Buffer): void | Promise<void> {
    const pending = { raw: rawId(frame), method: frame.method }
    this.#pending.set(idKey(frame.id), pending)
    if (this.#send(bytes)) return
    return this.#lost(idKey(frame.id), pending, 'The agent does not read what it is sent.')
  }

  forwardNotification(bytes: Buffer): void {
    this.#send(bytes)
  }

  /** Passes the editor's answer on, under the id the agent asked with. */
  forwardAnswer(frame: ResponseFrame): void {
    const entry = this.#asked.close(frame.id)
    if (entry !== undefined) this.#send(rewrite(frame, { id: entry.raw }))
  }

  /** False when the agent has too much unread already, and does not get this. */
  #send(bytes: Buffer): boolean {
    if (this.#toAgent.unread > MAX_UNREAD) return false
    void this.#toAgent.write(bytes)
    return true
  }

  /** Answers every open question `cancelled`; a later answer of the editor is dropped. */
  cancelQuestions(): void {
    for (const [method, result] of Object.entries(CANCELLED_ANSWERS)) {
      for (const { raw } of this.#asked.closeAll(method))
        void this.#toAgent.write(resultReplyRaw(raw, result))
    }
  }

  /**
   * The session is the container's, although no answer to the editor said so: the editor named it
   * (`session/load`), or it is restored. `editorId` is the id the editor knows.
   */
  adopt(agentId: string, editorId: string): void {
    this.#sessions.set(agentId, editorId)
    void this.#release(undefined, this.#held.take())
  }

  /** Takes the editor's open requests away, to answer them without the agent. */
  abandon(method?: string): Pending[] {
    const taken: Pending[] = []
    for (const [key, pending] of this.#pending) {
      if (method !== undefined && pending.method !== method) continue
      this.#pending.delete(key)
      taken.push(pending)
    }
    return taken
  }

  async #pump(stdout: Readable): Promise<void> {
    await pumpLines(stdout, (line) => this.#take(line))
    this.#own.failAll('The agent ended before it answered.')
  }

  #take(line: Line): void | Promise<void> {
    try {
      return this.#line(line)
    } catch {
      // Whatever an agent sends, the next line is read.
      this.#events.onRefusal('line', 'the agent sent a message that could not be handled')
    }
  }

  #line(line: Line): void | Promise<void> {
    if (line.kind === 'oversize') {
      const why = `the agent sent a line of ${line.size} bytes`
      this.#events.onRefusal('line', why)
      return this.#unread(readHead(line.head), why)
    }
    const frame = parseFrame(line.bytes)
    if (frame.kind === 'invalid') {
      const why = `the agent's output ${frame.reason}`
      this.#notJson += 1
      if (this.#notJson === 1) this.#events.onRefusal('line', why)
      return frame.id === null ? undefined : this.#unread({ ...frame, object: true }, why)
    }
    if (frame.kind === 'response') return this.#answer(frame)
    return this.#fromAgent(frame)
  }

  /** A message was thrown away: whoever waits for what it may have been is told. */
  #unread({ id, asks, object }: Head, why: string): void | Promise<void> {
    if (asks) {
      if (id === null) return
      return this.#toAgent.write(errorReplyRaw(JSON.stringify(id), RPC.invalidRequest, why))
    }
    if (!object) return
    const sentence = `Glovebox did not take the agent's answer: ${why}.`
    // An answer whose id lies further back than was kept may be any.
    const keys = id === null ? [...this.#pending.keys()] : [idKey(id)]
    for (const key of keys) {
      const pending = this.#pending.get(key)
      if (pending !== undefined) void this.#lost(key, pending, sentence)
    }
  }

  /** Answers a request of the editor that the agent can no longer answer. */
  #lost(key: string, pending: Pending, sentence: string): void | Promise<void> {
    this.#pending.delete(key)
    const bytes = errorReplyRaw(pending.raw, RPC.internal, sentence)
    const answer = parseFrame(bytes)
    if (answer.kind !== 'response') return this.#events.toEditor(bytes)
    const written = this.#events.toEditor(this.#events.answering?.(pending, answer) ?? bytes)
    this.#events.onAnswered(pending.method, answer)
    return written
  }

  #answer(frame: ResponseFrame): void | Promise<void> {
    if (this.#own.settle(frame)) return
    const key = idKey(frame.id)
    const pending = this.#pending.get(key)
    if (pending === undefined) {
      this.#events.onRefusal('response', 'the agent answered a request nobody made')
      return
    }
    const opens = pending.method === 'session/new' && !frame.failed
    if (opens && openedId(frame.message['result']) === undefined) {
      return this.#lost(key, pending, 'The agent answered session/new without a session id.')
    }
    this.#pending.delete(key)
    // The editor gets its own spelling back: 1 and 1.0 are the same id only to some readers.
    const id = rawId(frame) === pending.raw ? {} : { id: pending.raw }
    const error = withoutLogins(frame)
    if (error !== undefined) this.#events.onRefusal('authMethods', OWN_LOGINS)
    const bytes =
      this.#events.answering?.(pending, frame) ??
      rewrite(frame, { ...id, error, ...(opens ? this.#opened(frame) : {}) })
    const written = this.#events.toEditor(bytes)
    this.#events.onAnswered(pending.method, frame)
    const held = this.#held.take()
    if (held.length === 0) return written
    return this.#release(written, held)
  }

  async #release(
    before: void | Promise<void>,
    held: (RequestFrame | NotificationFrame)[],
  ): Promise<void> {
    await before
    for (const frame of held) await this.#fromAgent(frame)
  }

  /** The session is the container's from now on; what of the answer must change for the editor. */
  #opened(frame: ResponseFrame): { result?: Record<string, string> } {
    const agentId = openedId(frame.message['result']) ?? ''
    const editorId = this.#events.onSession(agentId)
    this.#sessions.set(agentId, editorId)
    return editorId === agentId ? {} : { result: { sessionId: JSON.stringify(editorId) } }
  }

  #fromAgent(frame: RequestFrame | NotificationFrame): void | Promise<void> {
    const sessionId = sessionIdOf(frame)
    const opening = this.#sessions.size === 0
    if (opening && sessionId !== undefined && this.#held.keep(frame)) return
    const verdict = judgeAgentFrame(frame, (id) => this.#sessions.has(id))
    if (verdict.verdict !== 'forward') return this.#refuse(frame, verdict.reason)
    if (frame.kind === 'request' && this.#asked.size >= MAX_OPEN_QUESTIONS) {
      return this.#refuse(frame, `the agent has ${MAX_OPEN_QUESTIONS} open questions already`)
    }
    const cancelled = requestIdOf(frame)
    const open = cancelled !== undefined && this.#asked.find(cancelled) !== undefined
    if (frame.method === '$/cancel_request' && !open) {
      return this.#refuse(frame, '$/cancel_request named a request that is not the agent’s')
    }
    this.#events.onFrame(frame)
    return this.#deliver(frame)
  }

  #deliver(frame: RequestFrame | NotificationFrame): void | Promise<void> {
    const fate = this.#events.judge?.(frame) ?? 'pass'
    if (fate === 'drop') return
    const result = fate === 'cancel' ? CANCELLED_ANSWERS[frame.method] : undefined
    if (result === undefined) return this.#events.toEditor(this.#forEditor(frame))
    return this.#toAgent.write(resultReplyRaw(rawId(frame), result))
  }

  #refuse(frame: RequestFrame | NotificationFrame, reason: string): void | Promise<void> {
    this.#events.onRefusal(frame.method, reason)
    if (frame.kind !== 'request') return
    return this.#toAgent.write(errorReplyRaw(rawId(frame), RPC.methodNotFound, reason))
  }

  #forEditor(frame: RequestFrame | NotificationFrame): Buffer {
    const sessionId = sessionIdOf(frame)
    const known = sessionId === undefined ? undefined : this.#sessions.get(sessionId)
    const params = revealed(frame)
    if (known !== undefined && known !== sessionId) params['sessionId'] = JSON.stringify(known)
    if (frame.kind === 'request') {
      const id = this.#asked.open(rawId(frame), idKey(frame.id), frame.method)
      return rewrite(frame, { id: JSON.stringify(id), params })
    }
    if (frame.method === '$/cancel_request') {
      const asked = this.#asked.find(requestIdOf(frame) ?? '')
      if (asked !== undefined) params['requestId'] = JSON.stringify(asked)
    }
    return rewrite(frame, { params })
  }

  /** The questions still open at the editor, withdrawn because their agent is gone. */
  withdrawals(): Buffer[] {
    return this.#asked
      .closeAll()
      .map(({ id }) => notification('$/cancel_request', { requestId: id }))
  }
}
