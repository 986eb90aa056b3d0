import { openAudit } from './audit/writer.ts'
import { Launcher, type LauncherOptions } from './launcher.ts'
import { createLog } from './log.ts'
import { packageVersion } from './package-root.ts'
import { launcherId } from './session/launcher-id.ts'
import { statePaths } from './state.ts'

/** A launcher on the user's own state folder. Errors: `audit_failed` when it cannot be written. */
export function createLauncher(
  env: Record<string, string | undefined>,
  chosen: Pick<LauncherOptions, 'agent' | 'imageName'>,
): Launcher {
  const paths = statePaths(env)
  return new Launcher({
    env,
    ...chosen,
    paths,
    log: createLog({ folder: paths.log }),
    audit: openAudit(paths.audit, launcherId(), { version: packageVersion() }),
  })
}
