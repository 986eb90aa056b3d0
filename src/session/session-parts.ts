/** What a session is made of, and what it tells the connection. */
import type { AuditData, AuditType } from '../audit/record.ts'
import type { Earlier } from './cancel-turns.ts'
import type { Live, LiveHost } from './live.ts'
import type { Session } from './session.ts'

/** What a start of a container gets of its session. */
export type StartFor = {
  host: LiveHost
  prefix: string
  earlier: Earlier | undefined
  /** Aborts when the session is to end. */
  left: AbortSignal
}

export type SessionParts = {
  /** Our own id, the one on the labels. */
  id: string
  /** Distinguishes this session's request ids from all others on the connection. */
  prefix: string
  /** What the editor opens it with, without the session's id. */
  params: Record<string, unknown>
  /** Lines of Glovebox's own, shown with the first prompt. */
  notices: string[]
  /** Whether the agent answers `session/close`. */
  closes: boolean
  /** Whether what the agent stores outlives its container. */
  keeps: boolean
  /** Starts a container whose agent has answered `initialize`. Errors: every GloveboxError of a start. */
  start: (session: StartFor) => Promise<Live>
}

export type SessionEvents = {
  toEditor: (frame: Buffer) => void | Promise<void>
  /** Takes the agent's session id; gives the one the editor shall use. */
  onOpen: (session: Session, agentId: string) => string
  onGone: (session: Session) => void
  record: (type: AuditType, data: AuditData) => void
  /** Aborts when the editor has left. */
  left: AbortSignal
}
