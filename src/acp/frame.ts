/** One JSON-RPC message of ACP, with its original bytes. */
import { isUtf8 } from 'node:buffer'

import { excess, members, splice, type Edit, type Member } from './json-scan.ts'

export type JsonId = string | number | null

type Common = {
  /** As received, without the line feed. */
  bytes: Buffer
  message: Record<string, unknown>
  top: Member[]
}
export type RequestFrame = Common & { kind: 'request'; id: JsonId; method: string }
export type NotificationFrame = Common & { kind: 'notification'; method: string }
export type ResponseFrame = Common & { kind: 'response'; id: JsonId; failed: boolean }
export type Frame = RequestFrame | NotificationFrame | ResponseFrame
export type InvalidFrame = {
  kind: 'invalid'
  reason: string
  notJson: boolean
  id: JsonId
  /** Whether it has a method: then its sender, and not its reader, waits for an answer. */
  asks: boolean
}

/** Keys whose double use could make two readers see two different messages. */
const ROUTED = new Set(['id', 'method', 'params', 'result', 'error'])
const ROUTED_PARAMS = new Set(['sessionid', 'requestid'])

/** Levels of objects and arrays. The strictest editor's reader, serde_json, gives up at 128. */
const MAX_DEPTH = 100

/** Of one message; a parser needs about 100 bytes for each. Long messages are long texts. */
const MAX_VALUES = 1_000_000

/** Bytes of a message that is not read in full, in which its id and method are looked for. */
const HEAD = 64 * 1024

/** Bytes of an id that is a text; it is kept for as long as its request is open. */
const MAX_ID = 1024

/** Reads one line. Never throws. */
export function parseFrame(bytes: Buffer): Frame | InvalidFrame {
  const unread = unreadable(bytes)
  if (unread !== undefined) return unread
  let message: unknown
  try {
    message = JSON.parse(bytes.toString('utf8'))
  } catch {
    return invalid('is not JSON', true)
  }
  if (!isRecord(message)) return invalid('is not a JSON object; ACP has no batches')
  const top = members(bytes)
  const id = idOf(message['id'])
  const asks = typeof message['method'] === 'string'
  if (repeats(top, ROUTED) || repeats(paramsOf(bytes, top), ROUTED_PARAMS)) {
    return invalid('names a key twice that decides where it goes', false, id, asks)
  }
  const common = { bytes, message, top }
  if (typeof message['method'] === 'string') return calling(common, message['method'], id)
  if (id !== undefined && ('result' in message || 'error' in message)) {
    return { kind: 'response', id, failed: 'error' in message, ...common }
  }
  return invalid('is neither a request, a notification nor a response', false, id)
}

function calling(common: Common, method: string, id: JsonId | undefined): Frame | InvalidFrame {
  if (!('id' in common.message)) return { kind: 'notification', method, ...common }
  if (id !== undefined) return { kind: 'request', id, method, ...common }
  return invalid('has an id that is no number, null or text of at most 1,024 bytes')
}

/** Why a line is not even parsed: what is in it would harm its reader. */
function unreadable(bytes: Buffer): InvalidFrame | undefined {
  // An editor that decodes strictly would lose the whole connection, not one frame (RFC 8259, 8.1).
  if (!isUtf8(bytes)) return invalid('is not UTF-8', true)
  const found = excess(bytes, { depth: MAX_DEPTH, values: MAX_VALUES })
  if (found === undefined) return undefined
  const { id, asks } = readHead(bytes.subarray(0, HEAD))
  const reason =
    found === 'depth' ? `is nested more than ${MAX_DEPTH} deep` : 'holds over a million values'
  return invalid(reason, false, id, asks)
}

/** What the beginning of a message tells that was too long to read. */
export type Head = {
  /** Null when it is not there, or further back. */
  id: JsonId
  asks: boolean
  /** Whether it is the beginning of a JSON object at all. */
  object: boolean
}

/** Reads the beginning of a message that was too long to read. Never throws. */
export function readHead(head: Buffer): Head {
  try {
    const found = members(head)
    const member = found.find(({ key, end }) => key === 'id' && end < head.length)
    const text = member === undefined ? 'null' : textOf(head, member)
    const asks = found.some(({ key }) => key === 'method')
    return { id: idOf(JSON.parse(text)) ?? null, asks, object: found.length > 0 }
  } catch {
    return { id: null, asks: false, object: false }
  }
}

/** A key for tables: `1` and `"1"` differ, `1` and `1.0` do not. */
export function idKey(id: JsonId): string {
  return JSON.stringify(id)
}

/** `params.sessionId`, when it is a string. */
export function sessionIdOf(frame: Frame): string | undefined {
  const params = frame.message['params']
  return isRecord(params) && typeof params['sessionId'] === 'string'
    ? params['sessionId']
    : undefined
}

/** `params.requestId` of `$/cancel_request` as a table key, when it is an id. */
export function requestIdOf(frame: Frame): string | undefined {
  const id = idOf(paramsRecord(frame)['requestId'])
  return id === undefined ? undefined : idKey(id)
}

/** How `params` spells a key: once and exactly, not at all, or so that readers may differ. */
export function spellingOf(frame: Frame, name: string): 'absent' | 'plain' | 'ambiguous' {
  const alike = paramsOf(frame.bytes, frame.top).filter(({ key }) => fold(key) === fold(name))
  if (alike.length === 0) return 'absent'
  return alike.length === 1 && alike[0]?.key === name ? 'plain' : 'ambiguous'
}

/** The parameters, `{}` when there are none. */
export function paramsRecord(frame: Frame): Record<string, unknown> {
  const params = frame.message['params']
  return isRecord(params) ? params : {}
}

/** Replacements at the top (`id`, `error`) and inside one object member (`params` or `result`). */
export type Changes = {
  id?: string
  error?: string | undefined
  /** Key → JSON text. A key that is not there stays absent. */
  params?: Record<string, string>
  result?: Record<string, string>
}

/** The frame's bytes with only the named values replaced. */
export function rewrite(frame: Frame, changes: Changes): Buffer {
  const edits: Edit[] = []
  for (const member of frame.top) {
    const whole = member.key === 'id' || member.key === 'error' ? changes[member.key] : undefined
    if (whole !== undefined) edits.push({ start: member.start, end: member.end, value: whole })
    if (member.key === 'params') edits.push(...inner(frame.bytes, member, changes.params))
    if (member.key === 'result') edits.push(...inner(frame.bytes, member, changes.result))
  }
  return edits.length === 0 ? frame.bytes : splice(frame.bytes, edits)
}

/** The id as the sender spelled it. */
export function rawId(frame: Frame): string {
  const member = frame.top.find(({ key }) => key === 'id')
  return member ? textOf(frame.bytes, member) : 'null'
}

function textOf(bytes: Buffer, { start, end }: Member): string {
  return bytes.subarray(start, end).toString('utf8')
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inner(bytes: Buffer, member: Member, changes: Record<string, string> = {}): Edit[] {
  return members(bytes, member.start).flatMap(({ key, start, end }) => {
    const value = Object.hasOwn(changes, key) ? changes[key] : undefined
    return value === undefined ? [] : [{ start, end, value }]
  })
}

function idOf(value: unknown): JsonId | undefined {
  if (typeof value === 'string') return Buffer.byteLength(value) > MAX_ID ? undefined : value
  if (value === null) return null
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function paramsOf(bytes: Buffer, top: Member[]): Member[] {
  const params = top.find(({ key }) => key === 'params')
  return params ? members(bytes, params.start) : []
}

/** Whether a key that decides is there twice, or in a spelling that only some readers know. */
function repeats(list: Member[], names: ReadonlySet<string>): boolean {
  const seen = new Map<string, string>()
  for (const { key } of list) {
    const folded = fold(key)
    if (!names.has(folded)) continue
    if (seen.has(folded) || !EXACT.has(key)) return true
    seen.set(folded, key)
  }
  return false
}

const EXACT = new Set([...ROUTED, 'sessionId', 'requestId'])

/** One spelling for all that Go's encoding/json takes for the same key: `ſ` and `K` included. */
function fold(key: string): string {
  return key.toUpperCase().toLowerCase()
}

function invalid(
  reason: string,
  notJson = false,
  id: JsonId | undefined = null,
  asks = false,
): InvalidFrame {
  return { kind: 'invalid', reason, notJson, id: id ?? null, asks }
}
