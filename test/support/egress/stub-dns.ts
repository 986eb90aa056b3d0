/** A DNS server on loopback that answers from a table and remembers what it was asked. */
import { type RemoteInfo, type Socket, createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

/** Addresses of both families; `silent` never answers, `fail` answers SERVFAIL. */
export type Answer = readonly string[] | 'silent' | 'fail' | OddAnswer

/** An answer through a CNAME, after a forged one with another id, or cut off (TC). */
type OddAnswer = { odd: 'cname' | 'forged' | 'truncated'; addresses: readonly string[] }

/** The answer for a name; undefined is NXDOMAIN. Called once per query. */
export type Zone = (name: string, type: 'A' | 'AAAA') => Answer | undefined

export type StubDns = AsyncDisposable & {
  /** `127.0.0.1:port`. */
  server: string
  /** Every name asked for, in order, in lower case. */
  queries: string[]
}

const TYPE_A = 1
const TYPE_AAAA = 28

export async function startDns(zone: Zone): Promise<StubDns> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (query, from) => respond(socket, query, from, zone, queries))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    queries,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

function respond(
  socket: Socket,
  query: Buffer,
  from: RemoteInfo,
  zone: Zone,
  queries: string[],
): void {
  const { name, end } = readName(query)
  const type = query.readUInt16BE(end)
  queries.push(name)
  const kind = type === TYPE_A ? 'A' : type === TYPE_AAAA ? 'AAAA' : undefined
  const given = kind === undefined ? [] : zone(name, kind)
  const odd = isOdd(given) ? given.odd : undefined
  const answer = isOdd(given) ? given.addresses : given
  if (answer === 'silent') return
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | rcode(answer), 2)
  const question = query.subarray(12, end + 4)
  const records = Array.isArray(answer)
    ? answer
        .filter((address) => isIPv4(address) === (kind === 'A'))
        .map((address) => record(type, address))
    : []
  if (odd === 'cname') records.unshift(cname('evil.test'))
  if (odd === 'truncated') header.writeUInt16BE(0x8380, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  if (odd === 'forged') {
    const other = Buffer.from(header)
    other.writeUInt16BE((query.readUInt16BE(0) + 1) & 0xffff, 0)
    const forged = Buffer.concat([
      other,
      question,
      ...records.map(() => record(type, kind === 'A' ? '127.0.0.3' : '::1')),
    ])
    socket.send(forged, from.port, from.address)
  }
  socket.send(Buffer.concat([header, question, ...records]), from.port, from.address)
}

function isOdd(answer: Answer | undefined): answer is OddAnswer {
  return typeof answer === 'object' && 'odd' in answer
}

/** The question's name is another one, which is the owner of nothing here. */
function cname(name: string): Buffer {
  const data = Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])
  const fixed = Buffer.from([0xc0, 0x0c, 0, 5, 0, 1, 0, 0, 0, 0, 0, data.length])
  return Buffer.concat([fixed, data])
}

function rcode(answer: Answer | undefined): number {
  if (answer === undefined) return 3
  return answer === 'fail' ? 2 : 0
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length !== 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** One record with TTL 0, its name a pointer to the question. */
function record(type: number, address: string): Buffer {
  const data = type === TYPE_A ? Buffer.from(address.split('.').map(Number)) : v6(address)
  const fixed = Buffer.alloc(12)
  fixed.writeUInt16BE(0xc00c, 0)
  fixed.writeUInt16BE(type, 2)
  fixed.writeUInt16BE(1, 4)
  fixed.writeUInt16BE(data.length, 10)
  return Buffer.concat([fixed, data])
}

function v6(address: string): Buffer {
  const { hostname } = new URL(`http://[${address}]/`)
  const [left = '', right] = hostname.slice(1, -1).split('::')
  const head = left === '' ? [] : left.split(':')
  const tail = right === undefined || right === '' ? [] : right.split(':')
  const fill = right === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0')
  const all = [...head, ...fill, ...tail].map((group) => Number.parseInt(group, 16))
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}
