/** Where Glovebox keeps things on the host (XDG Base Directory Specification 0.8). */
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

export type StatePaths = {
  /** The administrator's policy; not in anybody's home. */
  adminPolicy: string
  /** The user's configuration. */
  userConfig: string
  state: string
  /** The images that may run. */
  lock: string
  audit: string
  log: string
  sessions: string
  /** One file for each volume of ours that labels cannot show, or whose last use matters. */
  volumes: string
  /** Who stopped which session. */
  stops: string
  cache: string
  /** Stands in for a masked file. */
  emptyFile: string
  /** What agents planted in projects. */
  quarantine: string
}

/** Nothing is made or read. A relative XDG value is ignored, as the specification asks. */
export function statePaths(
  env: Record<string, string | undefined>,
  home: string = homedir(),
): StatePaths {
  const base = env['HOME'] !== undefined && isAbsolute(env['HOME']) ? env['HOME'] : home
  const root = (name: string, fallback: string): string => {
    const given = env[name]
    const folder = given !== undefined && isAbsolute(given) ? given : join(base, fallback)
    return join(folder, 'glovebox')
  }
  const state = root('XDG_STATE_HOME', '.local/state')
  return {
    adminPolicy: '/etc/glovebox/policy.json',
    userConfig: join(root('XDG_CONFIG_HOME', '.config'), 'config.json'),
    state,
    lock: join(state, 'lock.json'),
    audit: join(state, 'audit'),
    log: join(state, 'log'),
    sessions: join(state, 'sessions'),
    volumes: join(state, 'volumes'),
    stops: join(state, 'stops'),
    emptyFile: join(state, 'masked'),
    quarantine: join(state, 'quarantine'),
    cache: root('XDG_CACHE_HOME', '.cache'),
  }
}
