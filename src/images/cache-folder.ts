import { mkdir } from 'node:fs/promises'

import { statePaths } from '../state.ts'

/** Our folder for what can be made again: `$XDG_CACHE_HOME/glovebox`. Makes it, private to the user. */
export async function cacheFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const folder = statePaths(env).cache
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}
