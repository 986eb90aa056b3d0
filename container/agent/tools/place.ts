/** Where the tools of a session work: the project folder, and what was read of it. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'

import type { FileVersions } from './file-versions.ts'
import type { ProcessGroups } from './process-groups.ts'

export type Place = {
  /** The session's `cwd` as the client wrote it. */
  root: string
  /** The same without symbolic links. */
  realRoot: string
  versions: FileVersions
  groups: ProcessGroups
}

export type ResolvedPath = {
  /** Absolute, as written. */
  absolute: string
  /** Where it leads: symbolic links followed as far as the path exists. */
  real: string
  /** Relative to the project when inside it. */
  shown: string
}

/** A path as a tool's input gives it: absolute, or relative to the project. */
export async function resolvePath(place: Place, given: string): Promise<ResolvedPath> {
  const absolute = path.resolve(place.root, given)
  const relative = path.relative(place.root, absolute)
  const inside = relative !== '..' && !relative.startsWith(`..${path.sep}`)
  return {
    absolute,
    real: await realPathOf(absolute),
    shown: inside ? relative || '.' : absolute,
  }
}

async function realPathOf(absolute: string): Promise<string> {
  try {
    return await realpath(absolute)
  } catch {
    const parent = path.dirname(absolute)
    if (parent === absolute) return absolute
    return path.join(await realPathOf(parent), path.basename(absolute))
  }
}
