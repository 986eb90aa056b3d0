/** Takes planted files out of a project, without being led out of it by a link. */
import {
  chmod,
  chown,
  constants,
  cp,
  mkdir,
  open,
  readlink,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { isRecord } from '../../acp/frame.ts'

/** Moves `path`, relative to the project, into `folder`; where it is then. `undefined`: it was gone. */
export async function quarantine(
  project: string,
  path: string,
  folder: string,
): Promise<string | undefined> {
  await using parent = await openFolder(project, dirname(path))
  if (parent === undefined) return undefined
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const target = join(folder, `${Date.now()}-${path.replaceAll('/', '_')}`)
  try {
    await move(join(parent.path, basename(path)), target)
    return target
  } catch (error) {
    if (isRecord(error) && error['code'] === 'ENOENT') return undefined
    throw error
  }
}

export type Original = { text: string; mode: number; uid: number; gid: number }

/** Puts a file back as it was: written aside and renamed, so that nobody reads half of it. */
export async function putBack(project: string, path: string, original: Original): Promise<void> {
  await using parent = await openFolder(project, dirname(path))
  if (parent === undefined) return
  const aside = join(parent.path, `.glovebox-${process.pid}-${basename(path)}`)
  await writeFile(aside, original.text, { flag: 'wx', mode: 0o600 })
  try {
    if (process.getuid?.() === 0) await chown(aside, original.uid, original.gid)
    await chmod(aside, original.mode & 0o777)
    await rename(aside, join(parent.path, basename(path)))
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

type OpenFolder = AsyncDisposable & { path: string }

/**
 * The folder by its descriptor: a link put into the path afterwards leads nowhere, and one that was
 * there before is noticed. `undefined` when it is not, or no longer, that folder.
 */
async function openFolder(project: string, path: string): Promise<OpenFolder | undefined> {
  const expected = join(project, path)
  let handle: FileHandle
  try {
    handle = await open(expected, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
  const own = `/proc/self/fd/${handle.fd}`
  const found = await readlink(own).catch(() => undefined)
  if (found !== expected) {
    await handle.close()
    return undefined
  }
  return { path: own, [Symbol.asyncDispose]: () => handle.close() }
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!isRecord(error) || error['code'] !== 'EXDEV') throw error
    await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true })
    await rm(from, { recursive: true })
  }
}
