/** The chain: each line ends with a hash over the hash before it and the rest of the line. */
import { createHash } from 'node:crypto'

/** What the first record of the first file follows. */
export const GENESIS = '0'.repeat(64)

/** A longer line, in bytes and without its newline, is no record. */
export const MAX_LINE = 64 * 1024

const TAIL = /,"hash":"([0-9a-f]{64})"\}$/

/** Turns a record's fields into its line, without newline. */
export function seal(
  fields: Record<string, unknown>,
  prev: string,
): { line: string; hash: string } {
  const body = JSON.stringify({ ...fields, prev })
  const hash = hashOf(prev, body)
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, hash }
}

/**
 * Splits a line into what was hashed and the hash it carries; undefined when it carries none. Works
 * on the text itself, so that a changed space is a change, too.
 */
export function unseal(line: string): { body: string; hash: string } | undefined {
  const found = TAIL.exec(line)
  if (found?.[1] === undefined) return undefined
  return { body: `${line.slice(0, found.index)}}`, hash: found[1] }
}

/** SHA-256 over the hash before and the record's line without its own hash. */
export function hashOf(prev: string, body: string): string {
  return createHash('sha256').update(prev).update(body).digest('hex')
}
