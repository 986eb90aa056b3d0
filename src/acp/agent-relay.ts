/** The relay between the editor and one agent container: routing, guarding, bookkeeping. */
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'

import { GloveboxError, RPC } from '../errors.ts'
import { FrameWriter } from './frame-writer.ts'
import {
  idKey,
  isRecord,
  paramsRecord,
  parseFrame,
  rawId,
  rewrite,
  sessionIdOf,
  type Frame,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from './frame.ts'
import { judgeAgentFrame } from './guard.ts'
import { HeldFrames } from './held-frames.ts'
import { IdTable } from './id-table.ts'
import type { Line } from './line-framer.ts'
import { pumpLines } from './pump-lines.ts'
import { errorReplyRaw, notification, request, resultReplyRaw } from './replies.ts'

export type RelayEvents = {
  /** A frame for the editor. The relay reads no further until the promise is settled. */
  toEditor: (frame: Buffer) => void | Promise<void>
  /** The agent answered `session/new`: the session is the container's from now on. */
  onSession: (agentSessionId: string) => string
  onRefusal: (method: string, reason: string) => void
  onFrame: (frame: Frame) => void
  /** The editor's request was answered. */
  onAnswered: (method: string, answer: ResponseFrame) => void
}

/** No editor's request id begins like this, so that ids of ours and theirs never meet. */
const OURS = `glovebox-${randomBytes(6).toString('hex')}`

type Pending = { raw: string; method: string }
type Internal = { resolve: (result: unknown) => void; reject: (error: Error) => void }

/** Relays for one container; ends when the agent's output ends. */
export class AgentRelay {
  /** Resolves when the agent's output ended and everything before it was relayed. */
  readonly drained: Promise<void>
  readonly #events: RelayEvents
  readonly #toAgent: FrameWriter
  readonly #asked: IdTable
  /** Requests of the editor that the agent has not answered, by id key. */
  readonly #pending = new Map<string, Pending>()
  readonly #internal = new Map<string, Internal>()
  /** The agent's session id → the one the editor knows. */
  readonly #sessions = new Map<string, string>()
  readonly #held = new HeldFrames()
  #nextInternal = 1
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
  waiting(): { raw: string; method: string }[] {
    return [...this.#pending.values()]
  }

  isWaitingFor(key: string): boolean {
    return this.#pending.has(key)
  }

  /** Whether the editor is asked something under this id. */
  hasAsked(id: ResponseFrame['id']): boolean {
    return this.#asked.has(id)
  }

  /** A request of Glovebox's own; its answer never reaches the editor. */
  async ask(method: string, params: unknown): Promise<unknown> {
    const id = `${OURS}-${this.#nextInternal}`
    this.#nextInternal += 1
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#internal.set(idKey(id), { resolve, reject })
    })
    await this.#toAgent.write(request(id, method, params))
    return answer
  }

  /** Passes an editor's request on; `bytes` is the frame, changed where a rule says so. */
  forwardRequest(frame: RequestFrame, bytes: Buffer): void | Promise<void> {
    this.#pending.set(idKey(frame.id), { raw: rawId(frame), method: frame.method })
    return this.#toAgent.write(bytes)
  }

  forwardNotification(bytes: Buffer): void | Promise<void> {
    return this.#toAgent.write(bytes)
  }

  /** Passes the editor's answer on, under the id the agent asked with. */
  forwardAnswer(frame: ResponseFrame): void | Promise<void> {
    const entry = this.#asked.close(frame.id)
    if (entry === undefined) return
    return this.#toAgent.write(rewrite(frame, { id: entry.raw }))
  }

  /** Answers every open permission request `cancelled`; a later answer of the editor is dropped. */
  cancelQuestions(): void {
    for (const { raw } of this.#asked.closeAll('session/request_permission')) {
      void this.#toAgent.write(resultReplyRaw(raw, { outcome: { outcome: 'cancelled' } }))
    }
  }

  /** The session is the container's before the agent said so: the editor named it (`session/load`). */
  adopt(sessionId: string): void {
    this.#sessions.set(sessionId, sessionId)
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
    await pumpLines(stdout, (line) => this.#line(line))
    for (const { reject } of this.#internal.values()) {
      reject(new GloveboxError('container_failed', 'The agent ended before it answered.'))
    }
  }

  #line(line: Line): void | Promise<void> {
    if (line.kind === 'oversize') {
      this.#events.onRefusal('line', `the agent sent a line of ${line.size} bytes`)
      return
    }
    const frame = parseFrame(line.bytes)
    if (frame.kind === 'invalid') {
      this.#notJson += 1
      if (this.#notJson === 1) this.#events.onRefusal('line', `the agent's output ${frame.reason}`)
      return
    }
    if (frame.kind === 'response') return this.#answer(frame)
    return this.#fromAgent(frame)
  }

  #answer(frame: ResponseFrame): void | Promise<void> {
    const key = idKey(frame.id)
    const internal = this.#internal.get(key)
    if (internal !== undefined) {
      this.#internal.delete(key)
      settle(internal, frame)
      return
    }
    const pending = this.#pending.get(key)
    if (pending === undefined) {
      this.#events.onRefusal('response', 'the agent answered a request nobody made')
      return
    }
    this.#pending.delete(key)
    const bytes = pending.method === 'session/new' ? this.#opened(frame) : frame.bytes
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

  #opened(frame: ResponseFrame): Buffer {
    const result = frame.message['result']
    const agentId = isRecord(result) ? result['sessionId'] : undefined
    if (typeof agentId !== 'string') return frame.bytes
    const editorId = this.#events.onSession(agentId)
    this.#sessions.set(agentId, editorId)
    return editorId === agentId
      ? frame.bytes
      : rewrite(frame, { result: { sessionId: JSON.stringify(editorId) } })
  }

  #fromAgent(frame: RequestFrame | NotificationFrame): void | Promise<void> {
    const sessionId = sessionIdOf(frame)
    const opening = this.#sessions.size === 0
    if (opening && sessionId !== undefined && this.#held.keep(frame)) return
    const verdict = judgeAgentFrame(frame, (id) => this.#sessions.has(id))
    if (verdict.verdict !== 'forward') {
      this.#events.onRefusal(frame.method, verdict.reason)
      if (frame.kind !== 'request') return
      return this.#toAgent.write(errorReplyRaw(rawId(frame), RPC.methodNotFound, verdict.reason))
    }
    this.#events.onFrame(frame)
    return this.#events.toEditor(this.#forEditor(frame))
  }

  #forEditor(frame: RequestFrame | NotificationFrame): Buffer {
    const sessionId = sessionIdOf(frame)
    const known = sessionId === undefined ? undefined : this.#sessions.get(sessionId)
    const params: Record<string, string> = {}
    if (known !== undefined && known !== sessionId) params['sessionId'] = JSON.stringify(known)
    if (frame.kind === 'request') {
      const id = this.#asked.open(rawId(frame), idKey(frame.id), frame.method)
      return rewrite(frame, { id: JSON.stringify(id), params })
    }
    if (frame.method === '$/cancel_request') {
      const asked = this.#asked.find(JSON.stringify(paramsRecord(frame)['requestId']))
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

function settle({ resolve, reject }: Internal, frame: ResponseFrame): void {
  if (!frame.failed) {
    resolve(frame.message['result'])
    return
  }
  const error = frame.message['error']
  const message = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : '?'
  reject(new GloveboxError('container_failed', `The agent answered with an error: ${message}`))
}
