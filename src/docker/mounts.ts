/** What of the host the agent's container sees. */
import { relative } from 'node:path'

import type { Mount } from './engine.ts'

export type MountedFolder = {
  /** Absolute and normalised, as the editor named it. */
  cwd: string
  /** Without symlinks: the only kind of path that is ever a mount source. */
  realCwd: string
}

/**
 * The project at its own path, and also at the path the editor named when that leads through
 * symlinks: the agent's answers hold either.
 */
export function projectMounts(folder: MountedFolder, readOnly = false): Mount[] {
  // A name inside the folder itself is a symlink that the first mount already shows.
  const targets = inside(folder.realCwd, folder.cwd)
    ? [folder.realCwd]
    : [folder.realCwd, folder.cwd]
  return targets.map((target) => bind(folder.realCwd, target, readOnly))
}

/** `Mounts` and never `Binds`, whose syntax breaks on a colon and which makes missing sources. */
export function bind(source: string, target: string, readOnly: boolean): Mount {
  return {
    Type: 'bind',
    Source: source,
    Target: target,
    ReadOnly: readOnly,
    BindOptions: { Propagation: 'rprivate' },
  }
}

/** Whether `path` is `folder` or lies below it; both absolute and normalised. */
export function inside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../'))
}
