/** The story of one session's start: policy, credential, images, then its first container. */
import { randomUUID } from 'node:crypto'

import type { OpenEvents } from '../acp/connection.ts'
import { isRecord, sessionIdOf, type RequestFrame } from '../acp/frame.ts'
import { narrowSessionNew } from '../acp/session-new.ts'
import { sessionRecorder } from '../audit/budget.ts'
import { planSession, stateOf, type Plan, type SessionHost } from './plan.ts'
import { cwdOf } from './request-folder.ts'
import { Session } from './session.ts'
import { startLive } from './start-live.ts'
import { linkNotice } from './start-notices.ts'

/**
 * Starts a container for `session/new`, `load` or `resume` and sends the frame to its agent; for
 * `session/list` and `delete` too, whose container ends with the answer. Errors: GloveboxError.
 */
export async function openSession(
  host: SessionHost,
  frame: RequestFrame,
  initialize: Record<string, unknown>,
  events: OpenEvents,
): Promise<Session> {
  const id = randomUUID()
  const cwd = cwdOf(frame)
  const plan = await planSession(host, cwd, id)
  const narrowed = narrowSessionNew(frame)
  events.left.throwIfAborted()
  const notices = [...narrowed.notices, ...linkNotice(plan.project)]
  let first: Plan | undefined = plan
  const session = new Session(
    {
      id,
      prefix: events.prefix,
      params: narrowed.params,
      notices,
      closes: closes(plan.profile.initialize.agentCapabilities),
      keeps: stateOf(plan) !== undefined,
      start: async (live) => {
        // What the policy, the credentials and the images are may have changed since.
        const now = first ?? (await planSession(host, cwd, id, plan.profile.id))
        const told = first === undefined ? [] : notices
        first = undefined
        return await startLive(host, now, initialize, live, told)
      },
    },
    { ...events, record: sessionRecorder(host.audit) },
  )
  const named = frame.method === 'session/delete' ? undefined : sessionIdOf(frame)
  try {
    await session.open(frame, narrowed.bytes, named)
    return session
  } catch (error) {
    // The first fault is the one to tell.
    await session[Symbol.asyncDispose]().catch(() => undefined)
    throw error
  }
}

function closes(capabilities: Record<string, unknown>): boolean {
  const session = capabilities['sessionCapabilities']
  return isRecord(session) && session['close'] !== undefined
}
