/** The audit folder: one file for each launcher, whose names sort by the time they began. */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { GENESIS, MAX_LINE, hashOf, unseal } from './chain.ts'

const SUFFIX = '.jsonl'

/** `20261130T223015123Z-1a2b3c4d.jsonl`: the time, and a short name of the launcher. */
export function auditFileName(time: Date, launcher: string): string {
  const short = createHash('sha256').update(launcher).digest('hex').slice(0, 8)
  return `${time.toISOString().replaceAll(/[-:.]/g, '')}-${short}${SUFFIX}`
}

/** The names of all audit files, oldest first. Errors: those of readdir. */
export function auditFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .toSorted()
}

/** The newest file and the hash of its last whole record (zeros when it has none). */
export function newestHead(folder: string): { file: string; hash: string } | undefined {
  const file = auditFiles(folder).at(-1)
  return file === undefined ? undefined : { file, hash: lastHash(join(folder, file)) }
}

function lastHash(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    // Room for a torn line and a whole one.
    const tail = Buffer.alloc(Math.min(size, 2 * (MAX_LINE + 1)))
    readSync(fd, tail, 0, tail.length, size - tail.length)
    const lines = tail.toString('utf8').split('\n').slice(0, -1)
    return lines.map(hashOfLine).findLast((hash) => hash !== undefined) ?? GENESIS
  } finally {
    closeSync(fd)
  }
}

function hashOfLine(line: string): string | undefined {
  const record = unseal(line)
  const prev = record === undefined ? undefined : /"prev":"([0-9a-f]{64})"\}$/.exec(record.body)
  if (record === undefined || prev?.[1] === undefined) return undefined
  return hashOf(prev[1], record.body) === record.hash ? record.hash : undefined
}
