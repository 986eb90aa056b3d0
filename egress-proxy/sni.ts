/** The TLS ClientHello: who the client wants to talk to. Pure. */
import { parseHost } from './authority.ts'
import type { Reason } from './reasons.ts'

export type Hello = {
  /** Every host_name of the server_name extension, as latin1. */
  names: string[]
  /** Whether an encrypted ClientHello (or its draft, ESNI) is present. */
  ech: boolean
}

export type HelloResult =
  | { state: 'more' }
  | { state: 'hello'; hello: Hello }
  | { state: 'bad'; reason: 'not_tls' | 'sni_invalid' }

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const ENCRYPTED_CLIENT_HELLO = 0xfe0d
const ENCRYPTED_SNI = 0xffce
const MAX_RECORD = 16_384 + 256

/**
 * Reads the ClientHello from the first bytes of a connection. It may be spread over several
 * records (RFC 8446, 5.1) and segments: `more` until it is whole.
 */
export function parseHello(bytes: Buffer): HelloResult {
  const message = joinRecords(bytes)
  if (message.state !== 'whole') return message
  try {
    return { state: 'hello', hello: readHello(message.body) }
  } catch {
    return { state: 'bad', reason: 'sni_invalid' }
  }
}

type Joined =
  | { state: 'more' }
  | { state: 'bad'; reason: 'not_tls' | 'sni_invalid' }
  | { state: 'whole'; body: Buffer }

function joinRecords(bytes: Buffer): Joined {
  const parts: Buffer[] = []
  let have = 0
  let need: number | undefined = 4
  for (let at = 0; have < need;) {
    if (!looksLikeRecord(bytes.subarray(at))) return { state: 'bad', reason: 'not_tls' }
    if (bytes.length < at + 5) return { state: 'more' }
    const length = bytes.readUInt16BE(at + 3)
    if (length === 0 || length > MAX_RECORD) return { state: 'bad', reason: 'sni_invalid' }
    const part = bytes.subarray(at + 5, at + 5 + length)
    parts.push(part)
    have += part.length
    if (have >= 4 && need === 4) need = lengthOfHello(Buffer.concat(parts))
    if (need === undefined) return { state: 'bad', reason: 'not_tls' }
    // Nothing follows a ClientHello in its own record (RFC 8446, 5.1): two readers could differ there.
    if (have - part.length + length > need && have >= 4)
      return { state: 'bad', reason: 'sni_invalid' }
    if (part.length < length) return { state: 'more' }
    at += 5 + length
  }
  return { state: 'whole', body: Buffer.concat(parts).subarray(4, need) }
}

/** Bytes of a handshake message with its header; undefined when it is no ClientHello. */
function lengthOfHello(start: Buffer): number | undefined {
  return start[0] === CLIENT_HELLO ? 4 + start.readUIntBE(1, 3) : undefined
}

/** Whether the bytes so far could begin a TLS handshake record. */
function looksLikeRecord(bytes: Buffer): boolean {
  const [type = HANDSHAKE, major = 3, minor = 1] = bytes
  return type === HANDSHAKE && major === 3 && minor <= 4
}

/** Throws a RangeError when a length points past the end. */
function readHello(body: Buffer): Hello {
  let at = 2 + 32
  at += 1 + body.readUInt8(at)
  at += 2 + body.readUInt16BE(at)
  at += 1 + body.readUInt8(at)
  const hello: Hello = { names: [], ech: false }
  if (at === body.length) return hello
  const end = at + 2 + body.readUInt16BE(at)
  if (end !== body.length) throw new RangeError('extensions do not fill the message')
  at += 2
  const seen = new Set<number>()
  while (at < end) {
    const type = body.readUInt16BE(at)
    const length = body.readUInt16BE(at + 2)
    const data = body.subarray(at + 4, at + 4 + length)
    if (data.length !== length || seen.has(type)) throw new RangeError('malformed extension')
    seen.add(type)
    if (type === SERVER_NAME) hello.names = readNames(data)
    if (type === ENCRYPTED_CLIENT_HELLO || type === ENCRYPTED_SNI) hello.ech = true
    at += 4 + length
  }
  return hello
}

/** RFC 6066, 3. */
function readNames(data: Buffer): string[] {
  if (data.readUInt16BE(0) !== data.length - 2) throw new RangeError('malformed server_name list')
  const names: string[] = []
  for (let at = 2; at < data.length;) {
    const type = data.readUInt8(at)
    const length = data.readUInt16BE(at + 1)
    const name = data.subarray(at + 3, at + 3 + length)
    if (name.length !== length || length === 0 || type !== 0) throw new RangeError('malformed name')
    names.push(name.toString('latin1'))
    at += 3 + length
  }
  return names
}

export type SniRule = {
  sni?: 'required' | 'optional' | undefined
  ech?: 'deny' | 'allow' | undefined
}

/** Why a greeting may not pass to `target` (a canonical name); undefined when it may. */
export function faultInHello(hello: Hello, target: string, rule: SniRule): Reason | undefined {
  if (hello.ech && rule.ech !== 'allow') return 'ech_present'
  const [name] = hello.names
  if (name === undefined) return rule.sni === 'optional' ? undefined : 'sni_missing'
  if (hello.names.length > 1) return 'sni_invalid'
  const host = parseHost(name)
  if (!host.ok || host.value.kind !== 'name' || !host.value.plain) return 'sni_invalid'
  return host.value.text === target ? undefined : 'sni_mismatch'
}
