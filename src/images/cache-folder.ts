import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Our folder for what can be made again: `$XDG_CACHE_HOME/glovebox`. Makes it, private to the user. */
export async function cacheFolder(env: NodeJS.ProcessEnv): Promise<string> {
  const root = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache')
  const folder = join(root, 'glovebox')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}
