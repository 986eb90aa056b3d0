/**
 * The control stream's messages, JSON Lines, passed on by the proxy as they are. Checked by hand:
 * init starts with every session, and a schema library would cost more than the rest of it.
 */

import { type Names, parseNames } from './names.ts'

export const CONTROL_VERSION = 1
/** A longer line, in bytes, ends the stream. */
export const MAX_CONTROL_LINE = 1024 * 1024

/** From the launcher, but for `names`, which is the proxy's own. */
export type ToInit = { type: 'heartbeat' } | ({ type: 'names' } & Names)

/** To the launcher, which trusts none of it. */
export type FromInit =
  | { type: 'hello'; version: typeof CONTROL_VERSION }
  | { type: 'agent-started'; pid: number }
  /** To the proxy, which records it: a program asked for this name … */
  | { type: 'name-refused'; name: string }
  /** … or for so many more. */
  | { type: 'names-refused'; count: number }
  | { type: 'agent-exited'; code: number | null; signal: NodeJS.Signals | null }

/** A message of the launcher; undefined for a type this version does not know. Throws on garbage. */
export function parseToInit(line: string): ToInit | undefined {
  const message: unknown = JSON.parse(line)
  if (typeof message !== 'object' || message === null || !('type' in message)) {
    throw new TypeError('a control message is an object with a type')
  }
  if (message.type === 'names') return { type: 'names', ...parseNames(message) }
  return message.type === 'heartbeat' ? { type: 'heartbeat' } : undefined
}
