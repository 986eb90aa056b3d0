/** Walks a project for secrets and for what the host runs by itself. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { kindOf, type Kind, type Patterns } from './names.ts'

export type Found = {
  /** Relative to the project. */
  path: string
  kind: Kind
  type: 'folder' | 'file' | 'other'
}

export type Scan = {
  found: Found[]
  /** Folders that hold a repository of their own, the project's not among them. */
  repositories: string[]
  /** Whether the walk was given up. */
  cut: boolean
  /** Milliseconds. */
  took: number
}

/** A larger project is not walked to the end. */
const MAX_ENTRIES = 400_000
/** Other people's code: thousands of folders that no editor opens as a project. */
const SKIPPED = new Set(['node_modules', '.git'])
/** Folders read at a time. */
const AT_ONCE = 16

/** Follows no link. What cannot be read is left out. */
export async function scan(project: string, patterns: Patterns, max = MAX_ENTRIES): Promise<Scan> {
  const start = performance.now()
  const result: Scan = { found: [], repositories: [], cut: false, took: 0 }
  const folders = ['']
  let seen = 0
  while (folders.length > 0 && !result.cut) {
    const some = folders.splice(-AT_ONCE)
    // oxlint-disable-next-line no-await-in-loop -- a walk
    const listed = await Promise.all(some.map((folder) => entriesOf(join(project, folder))))
    for (const [index, entries] of listed.entries()) {
      seen += entries.length
      for (const entry of entries) look(some[index] ?? '', entry, patterns, folders, result)
    }
    result.cut = seen > max
  }
  result.took = performance.now() - start
  return result
}

function look(
  folder: string,
  entry: Dirent,
  patterns: Patterns,
  folders: string[],
  { found, repositories }: Scan,
): void {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  if (entry.name === '.git' && folder !== '') repositories.push(folder)
  if (SKIPPED.has(entry.name)) return
  const type = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other'
  const kind = kindOf(path, patterns)
  if (kind === 'protected' || (kind === 'secret' && type !== 'folder')) {
    found.push({ path, kind, type })
  }
  if (type === 'folder' && kind !== 'protected') folders.push(path)
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
