import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * The agent of the user's configuration, read without the validator so that `initialize` is quick;
 * the first session reads the file again and reports what is wrong with it.
 */
export function configuredAgent(env: Record<string, string | undefined>): string {
  const base = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config')
  try {
    const config: { agent?: unknown } | null = JSON.parse(
      readFileSync(join(base, 'glovebox', 'config.json'), 'utf8'),
    )
    const agent = config?.agent
    return typeof agent === 'string' ? agent : 'bundled'
  } catch {
    return 'bundled'
  }
}
