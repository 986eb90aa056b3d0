/** The structured log: JSON lines in the state folder, and on stderr when asked. Never throws. */
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { redact, redactText } from './redact.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof LEVELS)[number]

/** A larger file, in bytes, is put aside. */
export const MAX_LOG_FILE = 10 * 1024 * 1024
/** Files that are kept. */
export const MAX_LOG_FILES = 5

type LogFields = Record<string, unknown>
export type Log = Record<LogLevel, (event: string, fields?: LogFields) => void>

export type LogOptions = {
  /** The folder of `<date>.jsonl`; made when missing. */
  folder: string
  /** Lower levels are not written; `info` by default. */
  level?: LogLevel
  /** Where lines go as well, when the user asked for it. */
  stderr?: { write: (text: string) => unknown }
  now?: () => Date
}

/** A log that drops what it cannot write: it must never stop what it tells of. */
export function createLog(options: LogOptions): Log {
  const { folder, level = 'info', stderr, now = () => new Date() } = options
  const threshold = LEVELS.indexOf(level)
  const at =
    (name: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(name) < threshold) return
      attempt(() => {
        const time = now().toISOString()
        const entry = { time, level: name, event: redactText(event), pid: process.pid }
        // Twice: the first gives the order, the second keeps a field from replacing it.
        const line = `${JSON.stringify({ ...entry, ...asObject(redact(fields)), ...entry })}\n`
        if (stderr !== undefined) attempt(() => stderr.write(line))
        append(folder, time.slice(0, 10), line)
      })
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function append(folder: string, date: string, line: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${date}.jsonl`)
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size !== undefined && size + line.length > MAX_LOG_FILE) setAside(folder, date)
  appendFileSync(path, line, { mode: 0o600 })
  if (size === undefined || size + line.length > MAX_LOG_FILE) dropOldest(folder)
}

/** `<date>.jsonl` becomes `<date>.<time>.jsonl`. Another process may do the same at this moment. */
function setAside(folder: string, date: string): void {
  attempt(() =>
    renameSync(join(folder, `${date}.jsonl`), join(folder, `${date}.${Date.now()}.jsonl`)),
  )
}

function dropOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ path: join(folder, name), time: modified(join(folder, name)) }))
    .toSorted((one, other) => other.time - one.time)
  for (const { path } of files.slice(MAX_LOG_FILES)) attempt(() => rmSync(path, { force: true }))
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function attempt(work: () => unknown): void {
  try {
    work()
  } catch {
    // A log has nobody to tell.
  }
}
