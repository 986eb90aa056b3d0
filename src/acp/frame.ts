/** One JSON-RPC message of ACP, with its original bytes. */
import { members, splice, type Edit, type Member } from './json-scan.ts'

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
export type InvalidFrame = { kind: 'invalid'; reason: string; notJson: boolean; id: JsonId }

/** Keys whose double use could make two readers see two different messages. */
const ROUTED = new Set(['id', 'method', 'params', 'result', 'error'])
const ROUTED_PARAMS = new Set(['sessionId', 'requestId'])

/** Reads one line. Never throws. */
export function parseFrame(bytes: Buffer): Frame | InvalidFrame {
  let message: unknown
  try {
    message = JSON.parse(bytes.toString('utf8'))
  } catch {
    return invalid('is not JSON', true)
  }
  if (!isRecord(message)) return invalid('is not a JSON object; ACP has no batches')
  const top = members(bytes)
  const id = idOf(message['id'])
  if (repeats(top, ROUTED) || repeats(paramsOf(bytes, top), ROUTED_PARAMS)) {
    return invalid('names a key twice that decides where it goes', false, id)
  }
  const common = { bytes, message, top }
  if (typeof message['method'] === 'string') {
    const method = message['method']
    if (!('id' in message)) return { kind: 'notification', method, ...common }
    if (id === undefined) return invalid('has an id that is no string, number or null')
    return { kind: 'request', id, method, ...common }
  }
  if (id !== undefined && ('result' in message || 'error' in message)) {
    return { kind: 'response', id, failed: 'error' in message, ...common }
  }
  return invalid('is neither a request, a notification nor a response', false, id)
}

/** The id in the beginning of a request that was too long to read; null when it is not there. */
export function idInHead(head: Buffer): JsonId {
  const member = members(head).find(({ key }) => key === 'id')
  if (member === undefined || member.end >= head.length) return null
  try {
    return idOf(JSON.parse(head.subarray(member.start, member.end).toString('utf8'))) ?? null
  } catch {
    return null
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

/** The parameters, `{}` when there are none. */
export function paramsRecord(frame: Frame): Record<string, unknown> {
  const params = frame.message['params']
  return isRecord(params) ? params : {}
}

/** Replacements at the top (`id`) and inside one object member (`params` or `result`). */
export type Changes = {
  id?: string
  /** Key → JSON text. A key that is not there stays absent. */
  params?: Record<string, string>
  result?: Record<string, string>
}

/** The frame's bytes with only the named values replaced. */
export function rewrite(frame: Frame, changes: Changes): Buffer {
  const edits: Edit[] = []
  for (const member of frame.top) {
    if (member.key === 'id' && changes.id !== undefined) {
      edits.push({ start: member.start, end: member.end, value: changes.id })
    }
    if (member.key === 'params') edits.push(...inner(frame.bytes, member, changes.params))
    if (member.key === 'result') edits.push(...inner(frame.bytes, member, changes.result))
  }
  return edits.length === 0 ? frame.bytes : splice(frame.bytes, edits)
}

/** The original text of a value inside `params`, for example an id as the sender spelled it. */
export function rawId(frame: Frame): string {
  const member = frame.top.find(({ key }) => key === 'id')
  return member ? frame.bytes.subarray(member.start, member.end).toString('utf8') : 'null'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inner(bytes: Buffer, member: Member, changes: Record<string, string> = {}): Edit[] {
  return members(bytes, member.start).flatMap(({ key, start, end }) => {
    const value = changes[key]
    return value === undefined ? [] : [{ start, end, value }]
  })
}

function idOf(value: unknown): JsonId | undefined {
  return typeof value === 'string' || typeof value === 'number' || value === null
    ? value
    : undefined
}

function paramsOf(bytes: Buffer, top: Member[]): Member[] {
  const params = top.find(({ key }) => key === 'params')
  return params ? members(bytes, params.start) : []
}

function repeats(list: Member[], names: ReadonlySet<string>): boolean {
  const seen = new Set<string>()
  for (const { key } of list) {
    if (!names.has(key)) continue
    if (seen.has(key)) return true
    seen.add(key)
  }
  return false
}

function invalid(reason: string, notJson = false, id: JsonId | undefined = null): InvalidFrame {
  return { kind: 'invalid', reason, notJson, id: id ?? null }
}
