/**
 * The control stream's messages, JSON Lines, passed on by the proxy as they are. Checked by hand:
 * init starts with every session, and a schema library would cost more than the rest of it.
 */

import type { FolderFacts } from './folders.ts'
import type { Limit } from './limits.ts'
import { type Names, parseNames } from './names.ts'

export const CONTROL_VERSION = 1
/** A longer line, in bytes, ends the stream. */
export const MAX_CONTROL_LINE = 1024 * 1024

/** From the launcher, but for `names`, which is the proxy's own. */
export type ToInit =
  | { type: 'heartbeat' }
  | ({ type: 'names' } & Names)
  /** A turn begins: what runs now survives its cancel, and so do processes of these patterns. */
  | { type: 'mark'; turn: string; helpers: string[] }
  /** End what was started since the mark. SIGINT to the container asks for the same. */
  | { type: 'reap'; id: number }

export type EndedProcess = { pid: number; command: string }

/** To the launcher, which trusts none of it. */
export type FromInit =
  | ({ type: 'hello'; version: typeof CONTROL_VERSION } & FolderFacts)
  | { type: 'agent-started'; pid: number }
  /** To the proxy, which records it: a program asked for this name … */
  | { type: 'name-refused'; name: string }
  /** … or for so many more. */
  | { type: 'names-refused'; count: number }
  | { type: 'limit'; limit: Limit }
  | { type: 'marked'; turn: string }
  /** `id` is the request's; absent after SIGINT. `left` could not be ended. */
  | { type: 'reaped'; id?: number; processes: EndedProcess[]; count: number; left: number }
  | { type: 'agent-exited'; code: number | null; signal: NodeJS.Signals | null }

/** At most this many processes are told by name, each with this many characters. */
const TOLD = 100
const TOLD_LENGTH = 200

/** What was ended, short enough for a line. */
export function reapedMessage(
  processes: EndedProcess[],
  left: number,
  id: number | undefined,
): FromInit {
  const told = processes.slice(0, TOLD).map(({ pid, command }) => ({
    pid,
    command: command.slice(0, TOLD_LENGTH),
  }))
  const message = { type: 'reaped', processes: told, count: processes.length, left } as const
  return id === undefined ? message : { ...message, id }
}

/** A message of the launcher; undefined for a type this version does not know. Throws on garbage. */
export function parseToInit(line: string): ToInit | undefined {
  const message: unknown = JSON.parse(line)
  if (typeof message !== 'object' || message === null || !('type' in message)) {
    throw new TypeError('a control message is an object with a type')
  }
  if (message.type === 'names') return { type: 'names', ...parseNames(message) }
  if (message.type === 'mark') return parseMark(message)
  if (message.type === 'reap' && 'id' in message) return { type: 'reap', id: Number(message.id) }
  return message.type === 'heartbeat' ? { type: 'heartbeat' } : undefined
}

function parseMark(message: object): ToInit {
  const turn = 'turn' in message ? String(message.turn) : ''
  const helpers = 'helpers' in message && Array.isArray(message.helpers) ? message.helpers : []
  return { type: 'mark', turn, helpers: helpers.map(String) }
}
