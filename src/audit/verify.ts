/** Reads one audit file against its chain, without keeping it in memory. */
import { GENESIS, hashOf, unseal } from './chain.ts'
import { type Line, linesOf } from './lines.ts'
import { AuditRecord } from './record.ts'

export type Problem = {
  /** Counts from 1. */
  line: number
  kind: 'changed' | 'missing' | 'reordered' | 'unlinked'
  message: string
}

export type FileReport = {
  path: string
  /** Records whose hash is right. */
  records: number
  problems: Problem[]
  /** The last line was not written to its end, as by a power cut: no tampering. */
  torn?: { line: number; bytes: number }
  /** What the first record says came before. */
  prior?: { file: string; hash: string }
  /** The hash of the last good record. */
  head?: string
}

type Expected = { seq: number; prev: string | undefined }

/**
 * Checks every line of a file. `onHash` gets the hash of each good record, in order.
 * Errors: those of reading the file.
 */
export async function verifyFile(
  path: string,
  onHash: (hash: string) => void = () => {},
): Promise<FileReport> {
  const report: FileReport = { path, records: 0, problems: [] }
  let expected: Expected = { seq: 1, prev: undefined }
  let number = 0
  for await (const line of linesOf(path)) {
    number += 1
    const record = readRecord(line)
    if (!line.ended && (record !== undefined || looksTorn(line, expected.seq))) {
      report.torn = { line: number, bytes: Buffer.byteLength(line.text) }
      break
    }
    if (record === undefined) {
      report.problems.push(
        problem(number, 'changed', 'is no record, or was changed after it was written'),
      )
      expected = { seq: expected.seq + 1, prev: undefined }
      continue
    }
    report.problems.push(...place(record, number, expected))
    if (report.records === 0 && record.prior !== undefined) report.prior = record.prior
    report.records += 1
    report.head = record.hash
    onHash(record.hash)
    expected = { seq: record.seq + 1, prev: record.hash }
  }
  return report
}

/** The record of a line; undefined when its hash or its shape is not right. */
function readRecord(line: Line): AuditRecord | undefined {
  const sealed = line.unreadable ? undefined : unseal(line.text)
  if (sealed === undefined) return undefined
  try {
    const found = AuditRecord.safeParse(JSON.parse(line.text))
    if (!found.success) return undefined
    return hashOf(found.data.prev, sealed.body) === sealed.hash ? found.data : undefined
  } catch {
    return undefined
  }
}

/** What is wrong with where a good record stands. */
function place(record: AuditRecord, line: number, expected: Expected): Problem[] {
  const { seq, prev } = record
  if (seq > expected.seq) {
    const gap = seq - expected.seq
    const what =
      gap === 1 ? `record ${expected.seq} is` : `records ${expected.seq} to ${seq - 1} are`
    return [problem(line, 'missing', `is record ${seq}: ${what} missing before it`)]
  }
  if (seq < expected.seq) {
    return [problem(line, 'reordered', `is record ${seq} where ${expected.seq} belongs`)]
  }
  const before = expected.prev ?? (seq === 1 ? (record.prior?.hash ?? GENESIS) : prev)
  if (prev === before) return []
  return [
    problem(line, 'changed', 'does not follow the record before it: one of them was exchanged'),
  ]
}

/** The beginning of the record that was due, and no end: a write that was cut off. */
function looksTorn({ text, unreadable }: Line, seq: number): boolean {
  const due = `{"v":1,"seq":${seq},`
  const begins = text.length < due.length ? due.startsWith(text) : text.startsWith(due)
  // A cut may fall inside a character, at the very end.
  return begins && (!unreadable || text.endsWith('\uFFFD')) && !/,"hash":"[^"]*"./.test(text)
}

function problem(line: number, kind: Problem['kind'], what: string): Problem {
  return { line, kind, message: `Line ${line} ${what}.` }
}
