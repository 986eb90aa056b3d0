/** `glovebox stop`: ends one session, or all of the user's. */
import { userInfo } from 'node:os'

import { findEngine } from '../docker/find.ts'
import { EXIT, GloveboxError, sentenceOf } from '../errors.ts'
import { findSession, listSessions, type ListedSession, shortId } from '../session/listing.ts'
import { markStopped } from '../session/stop-mark.ts'
import { stopSession } from '../session/stop.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox stop SESSION | --all [--json]'

type Report = {
  session: string
  project: string
  result: 'ended' | 'killed' | 'failed'
  error?: string
}

/**
 * Returns 0 when what was asked for is gone, 1 when something could not be ended.
 * Errors: `usage`, `session_unknown`, those of finding an engine, `engine_failed`.
 */
export async function stopCommand(argv: string[], io: Io): Promise<number> {
  const options = { all: { type: 'boolean' }, json: { type: 'boolean' } } as const
  const { values, positionals } = parseArguments(USAGE, argv, options, 1)
  const [start] = positionals
  const all = values['all'] === true
  if (all === (start !== undefined)) {
    const what = all ? 'stop takes a session or --all, not both.' : 'stop needs a session or --all.'
    throw new GloveboxError('usage', what, `Usage: ${USAGE}; \`glovebox ps\` lists the sessions.`)
  }
  const engine = await findEngine(io.env)
  const sessions = await listSessions(engine)
  const chosen = start === undefined ? sessions.filter(isOwn) : [findSession(sessions, start)]
  const { stops } = statePaths(io.env)
  const reports = await Promise.all(
    chosen.map(async (listed): Promise<Report> => {
      const { session, project } = listed
      try {
        markStopped(stops, session, caller())
        return { session, project, result: await stopSession(engine, listed) }
      } catch (error) {
        return { session, project, result: 'failed', error: sentenceOf(error) }
      }
    }),
  )
  const text =
    values['json'] === true ? JSON.stringify({ sessions: reports }, undefined, 2) : render(reports)
  io.stdout.write(`${text}\n`)
  return reports.some(({ result }) => result === 'failed') ? EXIT.failed : EXIT.ok
}

/** One engine may serve several users: `--all` is all of the caller's. */
const isOwn = ({ user }: ListedSession): boolean =>
  user === undefined || user === (process.getuid?.() ?? 0)

function caller(): string {
  try {
    return userInfo().username
  } catch {
    // A user id without an entry in the user database.
    return 'Somebody'
  }
}

const WORDS = {
  ended: 'stopped',
  killed: 'did not end when asked to and was killed',
  failed: 'could not be stopped',
} as const

function render(reports: readonly Report[]): string {
  if (reports.length === 0) return 'No session runs.'
  return reports
    .map(({ session, project, result, error }) => {
      const why = error === undefined ? '' : `: ${error}`
      return `${shortId(session)}  ${WORDS[result]}  ${project}${why}`
    })
    .join('\n')
}
