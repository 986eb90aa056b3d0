/** Reads the three policy files and merges them. */
import { join } from 'node:path'

import type { StatePaths } from '../state.ts'
import { DEFAULTS } from './defaults.ts'
import { type Layers, type Policy, mergePolicy } from './merge.ts'
import { completeProvider } from './providers.ts'
import { invalid, readLayer } from './read-layer.ts'
import { AdminPolicy, ProjectPolicy, UserConfig } from './schema.ts'

const PROJECT_FILE = '.glovebox.json'

/**
 * The effective policy for a project, or without one. A missing file is no constraint (for the
 * user: the defaults). Errors: `config_invalid` naming file, key and what was expected.
 */
export function loadPolicy(
  paths: Pick<StatePaths, 'adminPolicy' | 'userConfig'>,
  project: string | undefined,
): Policy {
  return mergePolicy(loadLayers(paths, project))
}

/** The three layers apart. Errors as for `loadPolicy`. */
export function loadLayers(
  paths: Pick<StatePaths, 'adminPolicy' | 'userConfig'>,
  project: string | undefined,
): Layers {
  const admin = readLayer(paths.adminPolicy, AdminPolicy, { refuseMode: 0o022, followLinks: true })
  // Dotfile managers make symlinks, and a umask of 002 is common where each user has a group.
  const user = readLayer(paths.userConfig, UserConfig, { refuseMode: 0o002, followLinks: true })
  if (user !== undefined) checkProviders(paths.userConfig, user)
  return { admin, user, project: readProject(project) }
}

function readProject(project: string | undefined): ProjectPolicy | undefined {
  if (project === undefined) return undefined
  // The agent may have written it: no link, so that it cannot have another file read.
  const options = { refuseMode: 0, followLinks: false }
  return readLayer(join(project, PROJECT_FILE), ProjectPolicy, options)
}

/** What the schema cannot see: whether a provider is complete, and its key safe on the way. */
function checkProviders(path: string, user: UserConfig): void {
  for (const [id, config] of Object.entries(user.providers ?? {})) {
    const provider = completeProvider(id, config)
    if (provider === undefined) {
      const missing = config.preset === undefined ? 'preset' : 'base_url'
      throw invalid(path, `providers.${id}.${missing}: expected, since ${id} is not built in`)
    }
    const keyed = provider.key_env !== undefined || provider.key_file !== undefined
    if (
      keyed &&
      new URL(provider.base_url).protocol === 'http:' &&
      provider.insecure_http !== true
    ) {
      const what = 'expected https, since a key is sent there (or set insecure_http)'
      throw invalid(path, `providers.${id}.base_url: ${what}`)
    }
  }
  if (user.provider === undefined) return
  const builtIn = Object.keys(DEFAULTS.providers)
  const known = [...new Set([...builtIn, ...Object.keys(user.providers ?? {})])]
  if (!known.includes(user.provider)) {
    throw invalid(path, `provider: expected one of ${known.join(', ')}`)
  }
}
