/** The editor's side: one ACP connection, many sessions. */
import type { Readable, Writable } from 'node:stream'

import { GloveboxError, RPC, sentenceOf } from '../errors.ts'
import type { Session } from '../session/session.ts'
import { FrameWriter } from './frame-writer.ts'
import {
  paramsRecord,
  parseFrame,
  rawId,
  readHead,
  requestIdOf,
  sessionIdOf,
  type Frame,
  type InvalidFrame,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from './frame.ts'
import { MAX_FRAME, type Line } from './line-framer.ts'
import { pumpLines } from './pump-lines.ts'
import { errorReply, errorReplyRaw, resultReplyRaw } from './replies.ts'

/** What the connection needs of the launcher. */
export type Backend = {
  /** The answer to `initialize`; no engine is asked. */
  initialize: (params: Record<string, unknown>) => unknown
  /** Whether the agent has a method for which a container is started. */
  offers: (method: string) => boolean
  /** `{}` when there is what a session needs; throws `credential_missing` otherwise. */
  authenticate: () => Promise<unknown>
  /**
   * Starts a container for `session/new` and sends it the frame. Resolves when the agent has it.
   * Errors: every GloveboxError a start can have.
   */
  open: (
    frame: RequestFrame,
    initialize: Record<string, unknown>,
    events: OpenEvents,
  ) => Promise<Session>
}

export type OpenEvents = {
  /** Distinguishes this container's request ids from all others on the connection. */
  prefix: string
  toEditor: (frame: Buffer) => void | Promise<void>
  onOpen: (session: Session, agentId: string) => string
  onGone: (session: Session) => void
  /** Aborts when the editor has left: a start that is under way ends at its next step. */
  left: AbortSignal
}

/** Serves one editor until its input ends. */
export class Connection {
  readonly #backend: Backend
  readonly #editor: FrameWriter
  readonly #sessions = new Map<string, Session>()
  /** Sessions that have no id yet, or were closed and are ending. */
  readonly #all = new Set<Session>()
  readonly #opening = new Set<Promise<void>>()
  #initialize: Record<string, unknown> | undefined
  #containers = 0
  readonly #left = new AbortController()

  constructor(output: Writable, backend: Backend) {
    this.#editor = new FrameWriter(output)
    this.#backend = backend
  }

  /** Resolves when the input ended or broke, or nobody reads the output any more. */
  async serve(input: Readable): Promise<void> {
    await Promise.race([pumpLines(input, (line) => this.#line(line)), this.#editor.gone])
  }

  /** Ends every session, those that are just starting included. */
  async close(): Promise<void> {
    this.#left.abort(new GloveboxError('session_ended', 'The editor has left.'))
    await Promise.allSettled(this.#opening)
    await Promise.allSettled([...this.#all].map((session) => session[Symbol.asyncDispose]()))
    await Promise.race([this.#editor.flushed(), pause(500)])
  }

  #line(line: Line): void | Promise<void> {
    if (line.kind === 'oversize') {
      const mib = MAX_FRAME / 1024 / 1024
      const error = `A message of ${line.size} bytes came; at most ${mib} MiB are taken. Send less at once.`
      return this.#editor.write(
        errorReply(readHead(line.head).id, new GloveboxError('invalid_request', error)),
      )
    }
    const frame = parseFrame(line.bytes)
    if (frame.kind === 'invalid') return this.#invalid(frame)
    try {
      return this.#frame(frame)
    } catch (error) {
      // One message that cannot be handled is no reason to leave an editor.
      return this.#refuse(frame, RPC.internal, `Glovebox failed: ${sentenceOf(error)}`)
    }
  }

  #frame(frame: Frame): void | Promise<void> {
    if (frame.kind === 'response') return this.#answer(frame)
    if (frame.kind === 'notification') return this.#notification(frame)
    return this.#request(frame)
  }

  #invalid({ notJson, reason, id }: InvalidFrame): void | Promise<void> {
    const code = notJson ? RPC.parse : RPC.invalidRequest
    return this.#editor.write(
      errorReplyRaw(JSON.stringify(id), code, `Glovebox got a line on stdin that ${reason}.`),
    )
  }

  #request(frame: RequestFrame): void | Promise<void> {
    if (frame.method === 'initialize') return this.#initializeRequest(frame)
    if (this.#initialize === undefined) {
      return this.#refuse(frame, RPC.invalidRequest, `Call initialize before ${frame.method}.`)
    }
    if (frame.method === 'authenticate') {
      this.#track(this.#authenticate(frame))
      return
    }
    const sessionId = sessionIdOf(frame)
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId)
    if (STARTING.has(frame.method)) return this.#start(frame, this.#initialize, session)
    if (session !== undefined) return session.request(frame)
    if (sessionId !== undefined) {
      return this.#refuse(
        frame,
        RPC.notFound,
        `There is no session ${JSON.stringify(sessionId)} here.`,
      )
    }
    return this.#refuse(frame, RPC.methodNotFound, `Glovebox does not offer ${frame.method}.`)
  }

  #start(
    frame: RequestFrame,
    initialize: Record<string, unknown>,
    session: Session | undefined,
  ): void | Promise<void> {
    const capability = this.#backend.offers(frame.method)
    if (!capability) {
      return this.#refuse(frame, RPC.methodNotFound, `Glovebox does not offer ${frame.method}.`)
    }
    if (session !== undefined && session.ended === undefined) {
      if (!REOPENING.has(frame.method)) return session.request(frame)
      return this.#refuse(frame, RPC.invalidParams, 'This session is open already.')
    }
    this.#track(this.#open(frame, initialize))
  }

  #notification(frame: NotificationFrame): void | Promise<void> {
    if (frame.method === '$/cancel_request') return this.#cancelRequest(frame)
    const sessionId = sessionIdOf(frame)
    return sessionId === undefined ? undefined : this.#sessions.get(sessionId)?.notify(frame)
  }

  #cancelRequest(frame: NotificationFrame): void | Promise<void> {
    const key = requestIdOf(frame)
    if (key === undefined) return
    const session = [...this.#all].find((one) => one.isWaitingFor(key))
    return session?.cancelRequest(key, frame)
  }

  #answer(frame: ResponseFrame): void | Promise<void> {
    const session = [...this.#all].find((one) => one.hasAsked(frame.id))
    return session?.answer(frame)
  }

  #initializeRequest(frame: RequestFrame): void | Promise<void> {
    const params = paramsRecord(frame)
    this.#initialize = params
    return this.#local(frame, () => this.#backend.initialize(params))
  }

  #local(frame: RequestFrame, answer: () => unknown): void | Promise<void> {
    try {
      return this.#editor.write(resultReplyRaw(rawId(frame), answer()))
    } catch (error) {
      return this.#editor.write(errorReply(frame.id, error))
    }
  }

  async #authenticate(frame: RequestFrame): Promise<void> {
    try {
      void this.#editor.write(resultReplyRaw(rawId(frame), await this.#backend.authenticate()))
    } catch (error) {
      void this.#editor.write(errorReply(frame.id, error))
    }
  }

  #refuse(frame: Frame, code: number, sentence: string): void | Promise<void> {
    return this.#editor.write(errorReplyRaw(rawId(frame), code, sentence))
  }

  #track(work: Promise<void>): void {
    this.#opening.add(work)
    void work.finally(() => this.#opening.delete(work))
  }

  async #open(frame: RequestFrame, initialize: Record<string, unknown>): Promise<void> {
    this.#containers += 1
    try {
      const session = await this.#backend.open(frame, initialize, {
        prefix: `glovebox-${this.#containers}`,
        toEditor: (bytes) => this.#editor.write(bytes),
        onOpen: (opened, agentId) => this.#register(opened, agentId, REOPENING.has(frame.method)),
        onGone: (gone) => this.#forget(gone),
        left: this.#left.signal,
      })
      this.#all.add(session)
    } catch (error) {
      // Not waited for: an editor that reads nothing must not hold up the end.
      void this.#editor.write(errorReply(frame.id, error))
    }
  }

  /**
   * Two containers may choose the same session id: the editor then sees the second under another.
   * An id that the editor named itself is kept.
   */
  #register(session: Session, agentId: string, named: boolean): string {
    let id = agentId
    if (!named) for (let n = 2; this.#sessions.has(id); n += 1) id = `${agentId}-${n}`
    this.#sessions.set(id, session)
    this.#all.add(session)
    return id
  }

  #forget(session: Session): void {
    this.#all.delete(session)
  }
}

/** Methods for which a container is started. */
const STARTING = new Set([
  'session/new',
  'session/load',
  'session/resume',
  'session/list',
  'session/delete',
])
/** Those of them that open a session whose id the editor names. */
const REOPENING = new Set(['session/load', 'session/resume'])

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
