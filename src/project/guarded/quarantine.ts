/** Takes planted files out of a project, without being led out of it by a link. */
import { randomBytes } from 'node:crypto'
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
  stat,
  writeFile,
} from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { isRecord } from '../../acp/frame.ts'

/** Characters of a path that are kept for the name in the quarantine: at most 192 of its 255 bytes. */
const NAMED = 48
/** Linux: a descriptor that needs no permission to read. */
const O_PATH = 0o10_000_000
const WRITABLE = 0o300
const LISTABLE = 0o500

/**
 * Moves `path`, relative to the project, into `folder`; where it is then. What cannot be moved there
 * is renamed in its place, so that nothing looks for it. `undefined`: it was gone.
 */
export async function quarantine(
  project: string,
  path: string,
  folder: string,
): Promise<string | undefined> {
  await using parent = await openFolder(project, dirname(path))
  if (parent === undefined) return undefined
  const mark = `${Date.now()}-${randomBytes(4).toString('hex')}`
  const from = join(parent.path, basename(path))
  const kept = join(folder, `${mark}-${path.replaceAll('/', '_').slice(-NAMED)}`)
  const aside = `glovebox-quarantine-${mark}`
  try {
    await allow(parent, WRITABLE)
    await move(from, kept, folder).catch(async (error: unknown) => {
      if (isGone(error)) throw error
      await rename(from, join(parent.path, aside))
      throw new Aside()
    })
    return kept
  } catch (error) {
    if (error instanceof Aside) return join(project, dirname(path), aside)
    if (isGone(error)) return undefined
    throw error
  }
}

class Aside extends Error {}

/** Gives the user back the right to list a folder of the project. */
export async function makeListable(project: string, path: string): Promise<void> {
  await using folder = await openFolder(project, path)
  if (folder !== undefined) await allow(folder, LISTABLE)
}

export type Original = { text: string; mode: number; uid: number; gid: number }

/** Puts a file back as it was: written aside and renamed, so that nobody reads half of it. */
export async function putBack(project: string, path: string, original: Original): Promise<void> {
  await using parent = await openFolder(project, dirname(path))
  if (parent === undefined) return
  const aside = join(parent.path, `.glovebox-${randomBytes(8).toString('hex')}`)
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
    handle = await open(expected, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
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

/** Adds to what the owner may do with a folder. */
async function allow({ path }: OpenFolder, bits: number): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & bits) !== bits) await chmod(path, (mode | bits) & 0o7777)
}

async function move(from: string, to: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await rename(from, to)
  } catch (error) {
    if (!isRecord(error) || error['code'] !== 'EXDEV') throw error
    try {
      await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true })
    } catch (failed) {
      await rm(to, { recursive: true, force: true })
      throw failed
    }
    await rm(from, { recursive: true })
  }
}

const isGone = (error: unknown): boolean => isRecord(error) && error['code'] === 'ENOENT'
