/** One policy file, read carefully: the project's may have been written by an agent. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

import type { z } from 'zod'

import { GloveboxError } from '../errors.ts'

/** Bytes; a larger file is refused. */
const MAX_FILE = 1024 * 1024

export type LayerOptions = {
  /** Mode bits that make the file untrustworthy, such as 0o022. */
  refuseMode: number
  /** Whether the file itself may be a symlink. */
  followLinks: boolean
}

/**
 * Undefined when there is no file. Errors: `config_invalid`, with a sentence that names the file,
 * the key and what was expected; nothing of the file's text, which may be somebody's secret.
 */
export function readLayer<T>(
  path: string,
  schema: z.ZodType<T>,
  options: LayerOptions,
): T | undefined {
  const text = readText(path, options)
  if (text === undefined) return undefined
  const found = schema.safeParse(parseJson(path, text))
  if (found.success) return found.data
  const [first, ...more] = found.error.issues
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`
  throw invalid(path, `${first === undefined ? 'it' : describe(first)}${rest}`)
}

/** The error of a policy file. `what` completes "is not valid: …". */
export function invalid(path: string, what: string, cause?: unknown): GloveboxError {
  return new GloveboxError(
    'config_invalid',
    `The configuration file ${path} is not valid: ${what}.`,
    'Correct the file; schema/policy.schema.json describes it.',
    { cause },
  )
}

function readText(path: string, { refuseMode, followLinks }: LayerOptions): string | undefined {
  // Not blocking: a named pipe in its place must not hold the program.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const fd = open(path, followLinks ? flags : flags | constants.O_NOFOLLOW)
  if (fd === undefined) return undefined
  try {
    const { mode, size } = fstatSync(fd)
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw invalid(path, 'it is not a file')
    if (size > MAX_FILE) throw invalid(path, `it is larger than ${MAX_FILE / 1024} KiB`)
    if ((mode & refuseMode) !== 0) {
      const who = (mode & refuseMode & 0o002) === 0 ? 'its group' : 'everybody'
      throw invalid(path, `${who} can write it (chmod ${refuseMode === 0o002 ? 'o' : 'go'}-w)`)
    }
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

function open(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw invalid(path, 'it is a symlink', error)
    throw invalid(path, `it cannot be read (${code})`, error)
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const where = /line \d+ column \d+/.exec(error instanceof Error ? error.message : '')?.[0]
    // No cause: its message quotes the file.
    throw invalid(path, `it is not JSON${where === undefined ? '' : ` at ${where}`}`)
  }
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => JSON.stringify(key)).join(', ')
    return `unknown key ${keys} ${where === '' ? 'at the top' : `in ${where}`}`
  }
  const message = issue.code === 'invalid_union' ? 'expected an address range' : issue.message
  return `${where === '' ? 'the file' : where}: ${message.replace(/^Invalid \w+: /, '')}`
}
