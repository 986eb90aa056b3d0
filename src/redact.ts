/** What may be written down: no secret, no endless value, nothing that is not JSON. */
import { Secret } from './secret.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A longer string, in UTF-16 units, is cut. */
export const MAX_TEXT = 2_048
const MAX_ENTRIES = 100
const MAX_DEPTH = 6
/** A shorter secret is not looked for inside texts: it would be found in ordinary words. */
const MIN_SECRET = 8

const known = new Set<string>()

/** From now on this secret's value is struck out of every log and audit record of this process. */
export function rememberSecret(secret: Secret): Secret {
  const value = secret.reveal()
  if (value.length >= MIN_SECRET) known.add(value)
  return secret
}

/** A copy that may be written: secrets as `***`, long texts and lists cut, never an exception. */
export function redact(value: unknown): Json {
  return copy(value, 0) ?? null
}

/** A text without any remembered secret, cut at MAX_TEXT. */
export function redactText(text: string): string {
  let clean = text
  for (const secret of known) clean = clean.replaceAll(secret, '***')
  if (clean.length <= MAX_TEXT) return clean
  return `${clean.slice(0, MAX_TEXT)}… (${clean.length - MAX_TEXT} more)`
}

function copy(value: unknown, depth: number): Json | undefined {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'object' ? copyObject(value, depth) : undefined
}

function copyObject(value: object, depth: number): Json {
  if (value instanceof Secret) return '***'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString()
  if (value instanceof Error) return { name: value.name, message: redactText(value.message) }
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`
  if (depth >= MAX_DEPTH) return '…'
  if (Array.isArray(value)) {
    return value.slice(0, MAX_ENTRIES).map((item: unknown) => copy(item, depth + 1) ?? null)
  }
  const entries: [string, Json][] = []
  for (const key of Object.keys(value).slice(0, MAX_ENTRIES)) {
    const item = copy(read(value, key), depth + 1)
    if (item !== undefined) entries.push([redactText(key), item])
  }
  return Object.fromEntries(entries)
}

/** A getter may throw; what it would have said is then not known. */
function read(value: object, key: string): unknown {
  try {
    const item: unknown = Reflect.get(value, key)
    return item
  } catch {
    return '…'
  }
}
