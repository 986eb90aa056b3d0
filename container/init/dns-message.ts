/** DNS messages (RFC 1035, EDNS of RFC 6891): one question in, one short answer out. Pure. */

export const TYPE = { a: 1, opt: 41, any: 255 } as const

const RCODES = {
  ok: 0,
  malformed: 1,
  failed: 2,
  noName: 3,
  notImplemented: 4,
  refused: 5,
  /** Does not fit the header: its upper bits go into the OPT record. */
  badVersion: 16,
} as const

export type Rcode = keyof typeof RCODES

/** What an answer repeats of its question. */
type Asked = {
  id: number
  flags: number
  /** Name, type and class as they were sent, in their own case; empty when unreadable. */
  question: Buffer
  edns: boolean
}

export type Query = Asked & {
  /** In lower case without final dot; undefined for what is no host name. */
  host: string | undefined
  /** For the log: the name as it was asked, with other bytes as `\ddd`. */
  shown: string
  type: number
}

export type Parsed =
  | { ok: true; query: Query }
  /** Nothing to look up: what to answer, or undefined where any answer would be wrong. */
  | { ok: false; reply: Buffer | undefined }

const HEADER = 12
const QR = 0x80_00
const OPCODE = 0x78_00
const RECURSION_DESIRED = 0x01_00
const RECURSION_AVAILABLE = 0x00_80
const CLASS_IN = 1
const MAX_NAME = 255
const MAX_LABEL = 63
/** Bytes of an OPT record without options. */
const OPT_SIZE = 11
/** Seconds that an address may be kept: it may mean another name later. */
export const TTL = 60
/** The largest answer we would take or give over UDP, in bytes (RFC 9715). */
const UDP_SIZE = 1_232

/** Reads one question, in whatever the agent sends. */
export function parseQuery(bytes: Buffer): Parsed {
  if (bytes.length < HEADER) return { ok: false, reply: undefined }
  const flags = bytes.readUInt16BE(2)
  // An answer to an answer would go round for ever.
  if ((flags & QR) !== 0) return { ok: false, reply: undefined }
  const asked = { id: bytes.readUInt16BE(0), flags, question: Buffer.alloc(0), edns: false }
  if ((flags & OPCODE) !== 0) return fault(asked, 'notImplemented')
  if (bytes.readUInt16BE(4) !== 1) return fault(asked, 'malformed')
  const name = readName(bytes)
  if (name === undefined || name.end + 4 > bytes.length) return fault(asked, 'malformed')
  const end = name.end + 4
  const edns = readEdns(bytes, end)
  if (edns === 'malformed') return fault(asked, 'malformed')
  const whole = { ...asked, question: bytes.subarray(HEADER, end), edns: edns !== undefined }
  if (edns !== undefined && edns > 0) return fault(whole, 'badVersion')
  if (bytes.readUInt16BE(name.end + 2) !== CLASS_IN) return fault(whole, 'refused')
  const type = bytes.readUInt16BE(name.end)
  return {
    ok: true,
    query: { ...whole, type, host: hostOf(name.labels), shown: show(name.labels) },
  }
}

/** An answer, with `address` as its one A record when given. */
export function reply(asked: Asked, rcode: Rcode, address?: string): Buffer {
  const code = RCODES[rcode]
  const { question } = asked
  const header = Buffer.alloc(HEADER)
  header.writeUInt16BE(asked.id, 0)
  const kept = asked.flags & (OPCODE | RECURSION_DESIRED)
  header.writeUInt16BE(QR | kept | RECURSION_AVAILABLE | (code & 15), 2)
  header.writeUInt16BE(question.length > 0 ? 1 : 0, 4)
  header.writeUInt16BE(address === undefined ? 0 : 1, 6)
  header.writeUInt16BE(asked.edns ? 1 : 0, 10)
  const answer = address === undefined ? [] : [addressRecord(address)]
  const edns = asked.edns ? [optRecord(code >> 4)] : []
  return Buffer.concat([header, question, ...answer, ...edns])
}

function fault(asked: Asked, rcode: Rcode): Parsed {
  return { ok: false, reply: reply(asked, rcode) }
}

/** The first name of a message. No pointer is possible there: nothing comes before it. */
function readName(bytes: Buffer): { labels: Buffer[]; end: number } | undefined {
  const labels: Buffer[] = []
  let at = HEADER
  for (let size = bytes[at]; size !== 0; size = bytes[at]) {
    if (size === undefined || size > MAX_LABEL) return undefined
    const label = bytes.subarray(at + 1, at + 1 + size)
    at += 1 + size
    if (label.length < size || at - HEADER >= MAX_NAME) return undefined
    labels.push(label)
  }
  return { labels, end: at + 1 }
}

/** The version that an OPT record asks for; it is the first additional record of every query. */
function readEdns(bytes: Buffer, at: number): number | 'malformed' | undefined {
  const others = bytes.readUInt16BE(6) + bytes.readUInt16BE(8)
  if (others > 0 || bytes.readUInt16BE(10) === 0) return undefined
  if (at + OPT_SIZE > bytes.length) return 'malformed'
  if (bytes[at] !== 0 || bytes.readUInt16BE(at + 1) !== TYPE.opt) return undefined
  const end = at + OPT_SIZE + bytes.readUInt16BE(at + 9)
  return end > bytes.length ? 'malformed' : bytes.readUInt8(at + 6)
}

function hostOf(labels: Buffer[]): string | undefined {
  const texts = labels.map((label) => label.toString('latin1').toLowerCase())
  // A dot inside a label, for one, would read as another name.
  const plain = texts.every((text) => /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(text))
  return plain && texts.length > 0 ? texts.join('.') : undefined
}

function show(labels: Buffer[]): string {
  const texts = labels.map((label) =>
    label.toString('latin1').replaceAll(/[^\w-]/g, (char) => {
      return `\\${String(char.charCodeAt(0)).padStart(3, '0')}`
    }),
  )
  return texts.length === 0 ? '.' : texts.join('.')
}

function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(16)
  // The owner is the question's name.
  record.writeUInt16BE(0xc0_00 | HEADER, 0)
  record.writeUInt16BE(TYPE.a, 2)
  record.writeUInt16BE(CLASS_IN, 4)
  record.writeUInt32BE(TTL, 6)
  record.writeUInt16BE(4, 10)
  record.set(address.split('.').map(Number), 12)
  return record
}

function optRecord(upperCode: number): Buffer {
  const record = Buffer.alloc(OPT_SIZE)
  record.writeUInt16BE(TYPE.opt, 1)
  record.writeUInt16BE(UDP_SIZE, 3)
  record.writeUInt8(upperCode, 5)
  return record
}
