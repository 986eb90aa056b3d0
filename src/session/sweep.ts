/** Takes away what launchers that are dead left in the engine; never touches a living one's. */
import type { Engine } from '../docker/engine.ts'
import { LABEL } from './labels.ts'
import { launcherAlive } from './launcher-id.ts'

export type Swept = { containers: number; volumes: number }

/**
 * Removes containers and volumes of dead launchers, in every state: running, exited, and created
 * but never started. What carries our label but no launcher is left alone.
 * Errors: those of the engine port; one thing that cannot be removed does not keep the others.
 */
export async function sweep(
  engine: Engine,
  alive: (launcher: string) => boolean = launcherAlive,
): Promise<Swept> {
  const orphaned = (found: { labels: Record<string, string> }): boolean => {
    const launcher = found.labels[LABEL.launcher]
    return launcher !== undefined && !alive(launcher)
  }
  const containers = (await engine.list(LABEL.any)).filter(orphaned)
  const removed = await Promise.allSettled(
    containers.map(({ id }) => engine.container(id).remove()),
  )
  const volumes = (await engine.volumes(LABEL.any)).filter(orphaned)
  const gone = await Promise.allSettled(volumes.map(({ name }) => engine.removeVolume(name)))
  return {
    containers: removed.filter(({ status }) => status === 'fulfilled').length,
    volumes: gone.filter((result) => result.status === 'fulfilled' && result.value).length,
  }
}
