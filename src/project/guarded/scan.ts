/** Walks a project for secrets and for what the host runs by itself. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { isRecord } from '../../acp/frame.ts'
import { judgeOf, type Judge, type Kind, type Patterns } from './names.ts'

export type Found = {
  /** Relative to the project. */
  path: string
  kind: Kind
  type: 'folder' | 'file' | 'other'
}

export type Scan = {
  found: Found[]
  /** What git takes for repositories, `sub/.git` or a bare one; the project's own not among them. */
  repositories: string[]
  /** Folders whose mode keeps the user from listing them. */
  unreadable: string[]
  /** Whether the walk was given up. */
  cut: boolean
  /** Milliseconds. */
  took: number
}

/** A larger project is not walked to the end. */
const MAX_ENTRIES = 400_000
/** Other people's code: thousands of folders that no editor opens as a project. */
const SKIPPED = new Set(['node_modules', '.git'])
/** By these git knows a repository. */
const BARE = ['HEAD', 'objects', 'refs']
/** Folders read at a time. */
const AT_ONCE = 16

/** Follows no link. What cannot be read is left out. */
export async function scan(project: string, patterns: Patterns, max = MAX_ENTRIES): Promise<Scan> {
  const start = performance.now()
  const result: Scan = { found: [], repositories: [], unreadable: [], cut: false, took: 0 }
  const judge = judgeOf(patterns)
  const folders = ['']
  let seen = 0
  while (folders.length > 0 && !result.cut) {
    const some = folders.splice(-AT_ONCE)
    // oxlint-disable-next-line no-await-in-loop -- a walk
    const listed = await Promise.all(some.map((folder) => entriesOf(project, folder, result)))
    for (const [index, entries] of listed.entries()) {
      const folder = some[index] ?? ''
      seen += entries.length
      if (folder !== '' && isBare(entries)) result.repositories.push(folder)
      for (const entry of entries) look(folder, entry, judge, folders, result)
    }
    result.cut = seen > max
  }
  result.took = performance.now() - start
  return result
}

function isBare(entries: Dirent[]): boolean {
  return BARE.every((name) => entries.some((entry) => entry.name === name))
}

function look(
  folder: string,
  entry: Dirent,
  judge: Judge,
  folders: string[],
  { found, repositories }: Scan,
): void {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  if (entry.name === '.git' && folder !== '') repositories.push(path)
  if (SKIPPED.has(entry.name)) return
  const type = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other'
  const kind = judge(path)
  if (kind === 'protected' || (kind === 'secret' && type !== 'folder')) {
    found.push({ path, kind, type })
  }
  if (type === 'folder' && kind !== 'protected') folders.push(path)
}

async function entriesOf(project: string, folder: string, scanned: Scan): Promise<Dirent[]> {
  try {
    return await readdir(join(project, folder), { withFileTypes: true })
  } catch (error) {
    if (isRecord(error) && error['code'] === 'EACCES') scanned.unreadable.push(folder)
    return []
  }
}
