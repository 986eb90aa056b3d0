/** Writes a file whole or not at all, and keeps its mode. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

import { fileFailure } from './read-text.ts'

/**
 * Puts the text in place of the file in one step; makes the folders it needs.
 * Where that cannot be (a file mounted by itself, a folder that takes no new file, a second hard
 * link that must go on naming the same file) it is written over in place.
 */
export async function replaceFile(real: string, shown: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(real), { recursive: true })
    const old = await stat(real).catch(() => undefined)
    if (old !== undefined && old.nlink > 1) return await writeFile(real, text)
    await replace(real, text, old?.mode)
  } catch (error) {
    throw fileFailure(error, shown)
  }
}

async function replace(real: string, text: string, mode: number | undefined): Promise<void> {
  const temporary = path.join(path.dirname(real), `.${randomUUID()}.glovebox-tmp`)
  try {
    await writeNew(temporary, text, mode)
    await rename(temporary, real)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    if (mode === undefined || !isRefusalOfTheFolder(error)) throw error
    await writeFile(real, text)
  }
}

async function writeNew(file: string, text: string, mode: number | undefined): Promise<void> {
  await using handle = await open(file, 'wx', mode ?? 0o666)
  await handle.writeFile(text)
  // `open` takes the umask off the mode; the old file's bits are wanted as they were.
  if (mode !== undefined) await handle.chmod(mode & 0o7777)
  await handle.sync()
}

function isRefusalOfTheFolder(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return ['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'EROFS'].includes(String(code))
}
