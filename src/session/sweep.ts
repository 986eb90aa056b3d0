/** Takes away what launchers that are dead left in the engine; never touches a living one's. */
import type { Engine } from '../docker/engine.ts'
import { LABEL } from './labels.ts'
import { launcherAlive } from './launcher-id.ts'
import type { VolumeRecords } from './volume-records.ts'

export type Swept = {
  /** Ids. */
  containers: string[]
  /** Names. */
  volumes: string[]
}

/**
 * Removes containers and volumes of dead launchers, in every state: running, exited, and created
 * but never started. What carries our label but no launcher is left alone. `records` name volumes
 * that carry no label.
 * Errors: those of the engine port; one thing that cannot be removed does not keep the others.
 */
export async function sweep(
  engine: Engine,
  records?: VolumeRecords,
  alive: (launcher: string) => boolean = launcherAlive,
): Promise<Swept> {
  const orphaned = (found: { labels: Record<string, string> }): boolean => {
    const launcher = found.labels[LABEL.launcher]
    return launcher !== undefined && !alive(launcher)
  }
  const containers = (await engine.list(LABEL.any)).filter(orphaned).map(({ id }) => id)
  const removed = await Promise.allSettled(containers.map((id) => engine.container(id).remove()))
  const labelled = (await engine.volumes(LABEL.any)).filter(orphaned).map(({ name }) => name)
  const volumes = [...labelled, ...(await recordedOf(engine, records, alive, labelled))]
  const gone = await Promise.allSettled(volumes.map((name) => engine.removeVolume(name)))
  const freed = volumes.filter((_, at) => {
    const result = gone[at]
    return result?.status === 'fulfilled' && result.value
  })
  for (const name of freed) records?.forget(name)
  return {
    containers: containers.filter((_, at) => removed[at]?.status === 'fulfilled'),
    volumes: freed,
  }
}

/** Volumes that no label shows. The record of one that is gone goes too. */
async function recordedOf(
  engine: Engine,
  records: VolumeRecords | undefined,
  alive: (launcher: string) => boolean,
  known: readonly string[],
): Promise<string[]> {
  const dead = (records?.all() ?? []).filter(
    ({ launcher, engine: uri, name }) =>
      launcher !== undefined &&
      uri === engine.info.uri &&
      !alive(launcher) &&
      !known.includes(name),
  )
  if (dead.length === 0) return []
  const there = new Set((await engine.volumes()).map(({ name }) => name))
  for (const { name } of dead) if (!there.has(name)) records?.forget(name)
  return dead.map(({ name }) => name).filter((name) => there.has(name))
}
