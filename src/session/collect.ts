/** What `glovebox gc` takes away: only what no living launcher can need. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import type { Engine } from '../docker/engine.ts'
import type { StatePaths } from '../state.ts'
import { LABEL } from './labels.ts'
import { launcherAlive } from './launcher-id.ts'
import { sweep } from './sweep.ts'
import { VolumeRecords } from './volume-records.ts'

const DAY = 24 * 60 * 60 * 1000
/** Log files that were not written for so long are removed. */
const LOG_DAYS = 30

export type Collected = {
  /** Ids. */
  containers: string[]
  /** Names. */
  volumes: string[]
  networks: string[]
  /** Volumes with what agents keep of their sessions, by name. */
  state_volumes: string[]
  /** Paths. */
  files: string[]
}

export type CollectOptions = {
  paths: StatePaths
  /** Remove what agents keep of sessions, when not used for so many days; absent: never. */
  stateDays?: number
  now?: number
}

/** Errors: `engine_failed`; one thing that cannot be removed does not keep the others. */
export async function collect(engine: Engine, options: CollectOptions): Promise<Collected> {
  const { paths, stateDays, now = Date.now() } = options
  const records = new VolumeRecords(paths.volumes)
  const swept = await sweep(engine, records)
  return {
    ...swept,
    networks: await idleNetworks(engine),
    state_volumes:
      stateDays === undefined ? [] : await oldState(engine, records, now - stateDays * DAY),
    files: [
      ...oldFiles(paths.log, now - LOG_DAYS * DAY, (name) => name.endsWith('.jsonl')),
      ...oldFiles(paths.stops, now - DAY, () => true),
      ...oldFiles(paths.cache, now - DAY, (name) => name.startsWith('context-')),
    ],
  }
}

/** A launcher that lives may be about to start something on them. */
async function idleNetworks(engine: Engine): Promise<string[]> {
  const used = await engine.list(LABEL.any)
  if (used.some(({ labels }) => launcherAlive(labels[LABEL.launcher] ?? ''))) return []
  return removeAll(await engine.networks(LABEL.any), (name) => engine.removeNetwork(name))
}

/** One in use stays, whatever its age. */
async function oldState(engine: Engine, records: VolumeRecords, before: number): Promise<string[]> {
  const known = new Map(records.all().map(({ name, used }) => [name, used]))
  const volumes = await engine.volumes(`${LABEL.role}=state`)
  const old = volumes.filter(({ name, created }) => (known.get(name) ?? created ?? before) < before)
  const gone = await removeAll(
    old.map(({ name }) => name),
    (name) => engine.removeVolume(name),
  )
  for (const name of gone) records.forget(name)
  return gone
}

async function removeAll(
  names: string[],
  remove: (name: string) => Promise<boolean>,
): Promise<string[]> {
  const results = await Promise.allSettled(names.map((name) => remove(name)))
  return names.filter((_, at) => {
    const result = results[at]
    return result?.status === 'fulfilled' && result.value
  })
}

function oldFiles(folder: string, before: number, ours: (name: string) => boolean): string[] {
  try {
    const names = readdirSync(folder).filter(ours)
    const old = names.map((name) => join(folder, name)).filter((path) => isOlder(path, before))
    for (const path of old) rmSync(path, { recursive: true, force: true })
    return old
  } catch {
    // No such folder: nothing to remove.
    return []
  }
}

const isOlder = (path: string, before: number): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before
