/** What takes part in a session for the project's sake: git, masks, watches. One list, one life. */
import type { AuditData, AuditType } from '../audit/record.ts'
import type { ContainerUser } from '../docker/container-user.ts'
import type { Mount } from '../docker/engine.ts'
import { sentenceOf } from '../errors.ts'
import type { Policy } from '../policy/merge.ts'
import type { ProjectFolder } from '../project/cwd.ts'
import { guardedPart } from './guarded-part.ts'
import type { Cover } from './mounted-folders.ts'

/** What a part may do to the session it belongs to. */
export type LiveSession = {
  record: (type: AuditType, data: AuditData) => void
  /** A line of Glovebox's own in the conversation. */
  notify: (text: string) => void
  pause: () => Promise<void>
  unpause: () => Promise<void>
  /**
   * A new container with fresh mounts, in which the session goes on; the user is told the reason, a
   * sentence. A prompt that runs ends `cancelled`. The parts are planned anew.
   */
  restart: (reason: string) => void
}

export type ProjectPart = {
  /** Added to the agent container's mounts, in order after the project's own. */
  mounts: Mount[]
  /** What `init` must find at these of its mounts before the agent runs. */
  covers?: Cover[]
  /** Shown with the first prompt. */
  notices: string[]
  env?: Record<string, string>
  /** The container runs. */
  started?: (live: LiveSession) => void
  /** A prompt is about to reach the agent. */
  turnStarts?: () => Promise<void>
  turnEnded?: () => Promise<void>
  /** The container is gone. */
  dispose?: () => Promise<void>
}

/** What a part is planned from. */
export type ProjectPlan = {
  /** The session's own id. */
  id: string
  project: ProjectFolder
  policy: Policy
  user: ContainerUser
  env: Record<string, string | undefined>
}

/** All parts of a session, before its container is made. Errors: GloveboxError. */
export async function planProjectParts(plan: ProjectPlan): Promise<ProjectPart[]> {
  return [await guardedPart(plan)]
}

/** What must be found inside, of all parts. */
export function partsCovers(parts: readonly ProjectPart[]): Cover[] {
  return parts.flatMap(({ covers }) => covers ?? [])
}

/** The environment the parts add. */
export function partsEnv(parts: readonly ProjectPart[]): Record<string, string> {
  return Object.assign({}, ...parts.map(({ env }) => env ?? {}))
}

/**
 * Calls one step of every part, one after the other. A part that fails is told and audited, and
 * does not keep the others from their work.
 */
export async function eachPart(
  parts: readonly ProjectPart[],
  step: 'turnStarts' | 'turnEnded' | 'dispose',
  live: Pick<LiveSession, 'record' | 'notify'>,
): Promise<void> {
  for (const part of parts) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- a later part may build on an earlier one
      await part[step]?.()
    } catch (error) {
      live.record('error', { step, message: sentenceOf(error) })
      live.notify(sentenceOf(error))
    }
  }
}
