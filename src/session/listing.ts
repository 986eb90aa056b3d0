/** The sessions that an engine runs, read from its labels: those of every launcher. */
import type { Engine } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { LABEL } from './labels.ts'
import { launcherAlive } from './launcher-id.ts'

export type ListedSession = {
  /** Our own id, as in the audit log. */
  session: string
  /** The agent's container. */
  container: string
  state: string
  agent: string
  /** The real path. */
  project: string
  /** The launcher's user; undefined for one of an older version. */
  user: number | undefined
  launcher: { pid: number; alive: boolean }
  /** In ms since the epoch. */
  since: number
}

/** Oldest first. Errors: `engine_failed`. */
export async function listSessions(
  engine: Engine,
  alive: (launcher: string) => boolean = launcherAlive,
): Promise<ListedSession[]> {
  const found = await engine.list(`${LABEL.role}=agent`)
  return found
    .flatMap(({ id, state, labels, created }): ListedSession[] => {
      const session = labels[LABEL.session]
      const launcher = labels[LABEL.launcher]
      if (session === undefined || launcher === undefined) return []
      const user = labels[LABEL.user]
      return [
        {
          session,
          container: id,
          state,
          agent: labels[LABEL.agent] ?? '',
          project: labels[LABEL.project] ?? '',
          user: user === undefined ? undefined : Number(user),
          launcher: { pid: Number(launcher.split('/')[2]), alive: alive(launcher) },
          since: created * 1000,
        },
      ]
    })
    .toSorted((one, other) => one.since - other.since)
}

/** The session whose id begins so. Errors: `session_unknown` for none, and for several. */
export function findSession(sessions: readonly ListedSession[], start: string): ListedSession {
  const found = sessions.filter(({ session }) => session.startsWith(start.toLowerCase()))
  const [only] = found
  if (only !== undefined && found.length === 1 && start !== '') return only
  const ids = found.map(({ session }) => session.slice(0, 13)).join(', ')
  const what =
    only === undefined
      ? `No running session has an id that begins with ${JSON.stringify(start)}.`
      : `Several sessions have an id that begins with ${JSON.stringify(start)}: ${ids}.`
  const fix =
    only === undefined ? 'See `glovebox ps` for those that run.' : 'Give more of the one you mean.'
  throw new GloveboxError('session_unknown', what, fix)
}

/** Enough of an id to be typed. */
export const shortId = (session: string): string => session.slice(0, 8)
