/** Appends to the audit log. Without a log nothing may happen, so every failure is an exception. */
import { closeSync, chmodSync, fstatSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { GloveboxError } from '../errors.ts'
import { type Json, redact } from '../redact.ts'
import { GENESIS, MAX_LINE, seal } from './chain.ts'
import { auditFileName, newestHead } from './files.ts'
import type { AuditData, AuditType } from './record.ts'

export type AuditWriter = Disposable & {
  /** The file's path. */
  readonly file: string
  /** False after a failure: the chain of this file is open, and it takes no more records. */
  readonly usable: boolean
  /**
   * Returns when the operating system has the record: a kill loses nothing, a power cut may.
   * Errors: `audit_failed`, and again at every later call, since the chain is then open.
   * Gives the bytes it took.
   */
  record: (type: AuditType, data?: AuditData) => number
}

/**
 * Begins this launcher's file (mode 0600, folder 0700) with an `open` record that carries `about`
 * and names the newest other file with its last hash. Errors: `audit_failed`.
 */
export function openAudit(folder: string, launcher: string, about: AuditData = {}): AuditWriter {
  const { file, fd, prior } = guarded(folder, () => begin(folder, launcher))
  let [seq, prev, size] = [0, prior?.hash ?? GENESIS, 0]
  let unusable: string | undefined

  const record = (type: AuditType, data: AuditData = {}) => {
    if (unusable !== undefined) throw failure(file, unusable)
    const { line, hash } = sealRecord(seq + 1, launcher, type, data, prev)
    unusable = 'an earlier record could not be written'
    guarded(file, () => append(fd, `${line}\n`, size))
    unusable = undefined
    const bytes = Buffer.byteLength(line) + 1
    size += bytes
    seq += 1
    prev = hash
    return bytes
  }

  record('open', { ...about, ...(prior === undefined ? {} : { prior }) })
  return {
    file,
    get usable() {
      return unusable === undefined
    },
    record,
    [Symbol.dispose]() {
      if (unusable === 'it was closed') return
      unusable = 'it was closed'
      closeSync(fd)
    },
  }
}

function begin(folder: string, launcher: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const prior = newestHead(folder)
  const file = join(folder, auditFileName(new Date(), launcher))
  // `ax`: append only, and never into a file that is there.
  return { prior, file, fd: openSync(file, 'ax', 0o600) }
}

/** Writes at the end of a file that must be as the last record left it. */
function append(fd: number, text: string, size: number): void {
  const found = fstatSync(fd)
  if (found.nlink === 0) throw new Error('the file was removed')
  if (found.size !== size) throw new Error('something else wrote to the file')
  const bytes = Buffer.from(text)
  if (writeSync(fd, bytes) !== bytes.length) throw new Error('only a part could be written')
}

/** Fields that only the writer sets. */
const RESERVED = new Set(['v', 'seq', 'time', 'launcher', 'type', 'prev', 'hash'])

function sealRecord(
  seq: number,
  launcher: string,
  type: AuditType,
  data: AuditData,
  prev: string,
): { line: string; hash: string } {
  const fields = Object.entries(data).flatMap(([key, value]): [string, Json][] =>
    RESERVED.has(key) || value === undefined || (key === 'turn' && value === '')
      ? []
      : [[key, redact(value)]],
  )
  const { session, turn, ...rest } = Object.fromEntries(fields)
  const head = {
    v: 1,
    seq,
    time: new Date().toISOString(),
    launcher,
    ...(session === undefined ? {} : { session }),
    ...(turn === undefined ? {} : { turn }),
    type,
  }
  const sealed = seal({ ...head, ...rest }, prev)
  const bytes = Buffer.byteLength(sealed.line)
  return bytes <= MAX_LINE ? sealed : seal({ ...head, cut_bytes: bytes }, prev)
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw failure(path, error instanceof Error ? error.message : String(error), error)
  }
}

function failure(path: string, why: string, cause?: unknown): GloveboxError {
  return new GloveboxError(
    'audit_failed',
    `The audit log ${path} cannot be written: ${why}.`,
    'Nothing runs without a record of it: make room or correct the permissions, then start again.',
    { cause },
  )
}
