/**
 * Who stopped a session: a file that `glovebox stop` leaves in the state folder and the session's
 * launcher takes when the container ends. Never throws.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SESSION = /^[\w-]{1,128}$/
const MAX_NAME = 64

/** Leaves the mark. `who`: the name of a user. */
export function markStopped(folder: string, session: string, who: string): void {
  if (!SESSION.test(session)) return
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, session), who, { mode: 0o600 })
  } catch {
    // The session ends all the same; only the reason is not told.
  }
}

/** Takes the mark away: the name, or undefined when nobody asked for the stop. */
export function takeStopped(folder: string, session: string): string | undefined {
  if (!SESSION.test(session)) return undefined
  try {
    const path = join(folder, session)
    const who = readFileSync(path, 'utf8')
      .replaceAll(/\P{L}+/gu, ' ')
      .trim()
      .slice(0, MAX_NAME)
    rmSync(path, { force: true })
    return who === '' ? 'somebody' : who
  } catch {
    return undefined
  }
}
