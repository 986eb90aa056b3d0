/** A file as text, whole; what is no text, too large or not there is a failure with a sentence. */
import { readFile, stat } from 'node:fs/promises'

import { ToolFailure } from './tool.ts'

/** Bytes. Larger files are read in ranges, and changed by commands. */
const WHOLE_FILE_LIMIT = 10 * 1024 * 1024

/** `undefined` when there is no file. The byte order mark stays in the text. */
export async function readTextIfThere(real: string, shown: string): Promise<string | undefined> {
  const bytes = await bytesIfThere(real, shown)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new ToolFailure(`${shown} is not UTF-8 text.`, { cause: error })
  }
}

async function bytesIfThere(real: string, shown: string): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(real)
    if (size > WHOLE_FILE_LIMIT)
      throw new ToolFailure(`${shown} is too large (${size} bytes; the limit is 10 MB).`)
    return await readFile(real)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw fileFailure(error, shown)
  }
}

/** The sentence for an operating system's refusal. */
export function fileFailure(error: unknown, shown: string): ToolFailure {
  if (error instanceof ToolFailure) return error
  const said: Record<string, string> = {
    ENOENT: `${shown} does not exist.`,
    ENOTDIR: `A part of ${shown} is not a folder.`,
    EISDIR: `${shown} is a folder.`,
    EACCES: `${shown} may not be accessed.`,
    EPERM: `${shown} may not be accessed.`,
    EROFS: `${shown} is on a read-only file system.`,
    ENOSPC: `There is no space left to write ${shown}.`,
    ELOOP: `${shown} leads around in a circle of links.`,
    ENAMETOOLONG: 'The path is too long.',
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown fault'
  return new ToolFailure(said[code] ?? `${shown} could not be used (${code}).`, { cause: error })
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
