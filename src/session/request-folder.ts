/** The folder a request is about. */
import { paramsRecord, type RequestFrame } from '../acp/frame.ts'
import { GloveboxError } from '../errors.ts'

/** Editors list and delete sessions without a folder: those of the folder they started us in. */
export function cwdOf(frame: RequestFrame): string {
  const optional = frame.method === 'session/list' || frame.method === 'session/delete'
  const cwd = paramsRecord(frame)['cwd'] ?? (optional ? process.cwd() : undefined)
  if (typeof cwd === 'string') return cwd
  throw new GloveboxError(
    'cwd_invalid',
    `${frame.method} needs "cwd", the absolute path of a folder.`,
  )
}
