/** The journals of all sessions, one file each. */
import { accessSync, appendFileSync, constants, mkdirSync, readFileSync } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'

import { isCode } from '../tools/read-text.ts'
import { oneLine } from '../visible.ts'
import { parseJournal } from './record.ts'
import type { JournalRecord, WriteRecord } from './record.ts'
import { redactAll } from './redact.ts'

/** `updatedAt` is ISO 8601. */
type StoredSession = { id: string; cwd: string; title: string; updatedAt: string }

/** Sessions of one `list`. */
const PAGE = 50
/** Bytes at the beginning of a journal in which its folder and its first prompt stand. */
const HEAD = 65_536

export type SessionStore = {
  /** Whether journals can be written here at all. */
  usable: boolean
  /** Appends to the session's journal, at once; the file is made by the first record. */
  writer: (id: string, secrets: string[]) => WriteRecord
  /** `undefined` when there is no such session. */
  read: (id: string) => JournalRecord[] | undefined
  list: (cwd: string | undefined, cursor: string | undefined) => Promise<StoredPage>
  remove: (id: string) => Promise<void>
}

type StoredPage = { sessions: StoredSession[]; nextCursor: string | undefined }

export function sessionStore(folder: string): SessionStore {
  const usable = canWrite(folder)
  return {
    usable,
    writer: (id, secrets) => (usable ? writerTo(fileOf(folder, id), secrets) : () => undefined),
    read: (id) => (isSessionId(id) ? readIfThere(fileOf(folder, id)) : undefined),
    list: (cwd, cursor) => listed(folder, cwd, cursor),
    remove: async (id) => {
      if (isSessionId(id)) await rm(fileOf(folder, id), { force: true })
    },
  }
}

/** `$GLOVEBOX_STATE`, or the XDG place for state. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const chosen = env['GLOVEBOX_STATE']
  if (chosen !== undefined && path.isAbsolute(chosen)) return chosen
  return path.join(env['HOME'] ?? '/nonexistent', '.local/state/glovebox-agent')
}

/** Ids come from the client: nothing else may become part of a path. */
function isSessionId(id: string): boolean {
  return /^[0-9a-f-]{36}$/.test(id)
}

function fileOf(folder: string, id: string): string {
  return path.join(folder, `${id}.jsonl`)
}

function canWrite(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function writerTo(file: string, secrets: string[]): WriteRecord {
  let torn = endsTorn(file)
  return (record) => {
    // A line that a crash cut off must not swallow the next one.
    const line = `${torn ? '\n' : ''}${JSON.stringify(redactAll(record, secrets))}\n`
    torn = false
    appendFileSync(file, line, { mode: 0o600 })
  }
}

function endsTorn(file: string): boolean {
  const text = textIfThere(file)
  return text !== undefined && text !== '' && !text.endsWith('\n')
}

function readIfThere(file: string): JournalRecord[] | undefined {
  const text = textIfThere(file)
  return text === undefined ? undefined : parseJournal(text)
}

function textIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Newest first; the cursor is the place of the last session of the page before. */
async function listed(
  folder: string,
  cwd: string | undefined,
  cursor: string | undefined,
): Promise<StoredPage> {
  const all = await Promise.all((await namesIn(folder)).map((name) => summary(folder, name)))
  const sorted = all
    .filter((session) => session !== undefined)
    .filter((session) => cwd === undefined || session.cwd === cwd)
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
  const rest = sorted.filter((session) => cursor === undefined || placeOf(session) < cursor)
  const sessions = rest.slice(0, PAGE)
  const last = sessions.at(-1)
  const more = rest.length > PAGE && last !== undefined
  return { sessions, nextCursor: more ? placeOf(last) : undefined }
}

function placeOf(session: StoredSession): string {
  return `${session.updatedAt} ${session.id}`
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('.jsonl'))
}

async function summary(folder: string, name: string): Promise<StoredSession | undefined> {
  const file = path.join(folder, name)
  try {
    const { mtime } = await stat(file)
    const records = parseJournal(await headOf(file))
    const header = records.find((record) => record.type === 'session')
    const prompt = records.find((record) => record.type === 'prompt')
    if (header === undefined || header.id !== name.slice(0, -'.jsonl'.length)) return undefined
    const { id, cwd } = header
    return { id, cwd, title: titleOf(prompt?.pieces ?? []), updatedAt: mtime.toISOString() }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function headOf(file: string): Promise<string> {
  await using handle = await open(file)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0)
  return buffer.subarray(0, bytesRead).toString('utf8')
}

/** A session is called after the first text of its first prompt. */
export function titleOf(pieces: { type: string; text?: string }[]): string {
  const text = pieces.find((piece) => piece.type === 'text' && piece.text?.trim() !== '')?.text
  return oneLine(text ?? '', 80)
}
