/**
 * Finds where values lie in the bytes of a JSON object, so that one value can be replaced and every
 * other byte stays as it came: number spellings, key order, duplicate keys, unknown fields.
 * The bytes must already have been accepted by `JSON.parse`.
 */

/** One member of an object: its key and the byte range of its value, end exclusive. */
export type Member = { key: string; start: number; end: number }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c

/** The members of the object that starts at or after `from`; `[]` when there is no object there. */
export function members(bytes: Buffer, from = 0): Member[] {
  let at = skipSpace(bytes, from)
  if (bytes[at] !== OPEN_BRACE) return []
  const found: Member[] = []
  at = skipSpace(bytes, at + 1)
  while (at < bytes.length && bytes[at] !== CLOSE_BRACE) {
    const keyEnd = skipString(bytes, at)
    const key = decodeKey(bytes, at, keyEnd)
    const start = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    const end = skipValue(bytes, start)
    found.push({ key, start, end })
    at = skipSpace(bytes, end)
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
  }
  return found
}

/**
 * What of a text is more than a message needs: nesting, or the number of its values, each of which
 * costs a parser many times its length. Stops there; any bytes will do.
 */
export function excess(
  bytes: Buffer,
  max: { depth: number; values: number },
): 'depth' | 'values' | undefined {
  let depth = 0
  let values = 0
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = skipString(bytes, at)
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
    else if (byte === COMMA) values += 1
    if (depth > max.depth) return 'depth'
    if (values > max.values) return 'values'
    at += 1
  }
  return undefined
}

/** One replacement of a byte range. */
export type Edit = { start: number; end: number; value: string }

/** The bytes with each range replaced; ranges must not overlap. */
export function splice(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, edit.start), Buffer.from(edit.value))
    at = edit.end
  }
  parts.push(bytes.subarray(at))
  return Buffer.concat(parts)
}

function decodeKey(bytes: Buffer, start: number, end: number): string {
  const inner = bytes.subarray(start + 1, end - 1)
  if (!inner.includes(BACKSLASH)) return inner.toString('utf8')
  const key: string = JSON.parse(bytes.subarray(start, end).toString('utf8'))
  return key
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at += 1
  return at
}

/** `from` is at the opening quote; the result is just after the closing one. */
function skipString(bytes: Buffer, from: number): number {
  let at = from + 1
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return bytes.length
    let slashes = 0
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from]
  if (first === QUOTE) return skipString(bytes, from)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, from)
  let at = from
  while (at < bytes.length && !endsScalar(bytes[at] ?? 0)) at += 1
  return at
}

function endsScalar(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET
}

function skipNested(bytes: Buffer, from: number): number {
  let depth = 0
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = skipString(bytes, at)
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
    at += 1
    if (depth === 0) return at
  }
  return at
}
