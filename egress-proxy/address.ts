/** IP addresses: bytes, classes and ranges. Pure. */
import { isIPv4, isIPv6 } from 'node:net'

/** Why an address is not public, in words; `public` when it is. */
export type AddressClass =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'documentation'
  | 'benchmarking'
  | 'transition'
  | 'reserved'

type Block = readonly [cidr: string, kind: AddressClass]

/** IANA IPv4 special-purpose registry, and the address of one cloud's metadata service (first match wins). */
const V4_BLOCKS: readonly Block[] = [
  ['169.254.169.254/32', 'metadata'],
  ['169.254.170.2/32', 'metadata'],
  ['169.254.170.23/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['168.63.129.16/32', 'metadata'],
  ['192.0.0.192/32', 'metadata'],
  ['0.0.0.0/8', 'unspecified'], // RFC 791: Linux connects 0.0.0.0 to itself
  ['10.0.0.0/8', 'private'], // RFC 1918
  ['100.64.0.0/10', 'shared'], // RFC 6598
  ['127.0.0.0/8', 'loopback'], // RFC 1122
  ['169.254.0.0/16', 'link-local'], // RFC 3927
  ['172.16.0.0/12', 'private'], // RFC 1918
  ['192.0.0.0/24', 'reserved'], // RFC 6890
  ['192.0.2.0/24', 'documentation'], // RFC 5737
  ['192.88.99.0/24', 'transition'], // RFC 7526
  ['192.168.0.0/16', 'private'], // RFC 1918
  ['198.18.0.0/15', 'benchmarking'], // RFC 2544
  ['198.51.100.0/24', 'documentation'], // RFC 5737
  ['203.0.113.0/24', 'documentation'], // RFC 5737
  ['224.0.0.0/4', 'multicast'], // RFC 5771
  ['240.0.0.0/4', 'reserved'], // RFC 1112, and broadcast
]

/** IANA IPv6 special-purpose registry; whatever lies outside 2000::/3 is not public anyway. */
const V6_BLOCKS: readonly Block[] = [
  ['fd00:ec2::254/128', 'metadata'],
  ['fd00:ec2::23/128', 'metadata'],
  ['fd20:ce::254/128', 'metadata'],
  ['::/128', 'unspecified'], // RFC 4291
  ['::1/128', 'loopback'], // RFC 4291
  ['64:ff9b:1::/48', 'transition'], // RFC 8215: cannot be decoded
  ['fc00::/7', 'private'], // RFC 4193
  ['fe80::/10', 'link-local'], // RFC 4291
  ['fec0::/10', 'private'], // RFC 3879
  ['ff00::/8', 'multicast'], // RFC 4291
  ['2001:2::/48', 'benchmarking'], // RFC 5180
  ['2001:db8::/32', 'documentation'], // RFC 3849
  ['3fff::/20', 'documentation'], // RFC 9637
]

type Embedding = { cidr: string; at: number; invert?: boolean; dialled: boolean }

/** IPv6 ranges that carry an IPv4 address, where it lies, and whether such a packet reaches it. */
const EMBEDDINGS: readonly Embedding[] = [
  { cidr: '::ffff:0:0/96', at: 12, dialled: true }, // RFC 4291 mapped
  { cidr: '64:ff9b::/96', at: 12, dialled: true }, // RFC 6052 NAT64
  { cidr: '::/96', at: 12, dialled: false }, // RFC 4291 compatible, deprecated
  { cidr: '::ffff:0:0:0/96', at: 12, dialled: false }, // RFC 2765 SIIT
  { cidr: '2002::/16', at: 2, dialled: false }, // RFC 7526 6to4
  { cidr: '2001::/32', at: 12, invert: true, dialled: false }, // RFC 4380 Teredo
]

type Range = { bytes: Uint8Array; bits: number }

/** 4 or 16 bytes; undefined when the text is not an address in canonical notation, or has a zone. */
function bytesOf(address: string): Uint8Array | undefined {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number)
  if (!isIPv6(address) || address.includes('%')) return undefined
  return v6Bytes(address)
}

function v6Bytes(address: string): Uint8Array {
  const tail = /[\d.]+$/.exec(address)?.[0] ?? ''
  const v4 = tail.includes('.') ? tail.split('.').map(Number) : undefined
  const text = v4 === undefined ? address : address.slice(0, -tail.length) + hexPair(v4)
  const [left = '', right] = text.split('::')
  const head = groups(left)
  const end = right === undefined ? [] : groups(right)
  const all = [...head, ...Array<number>(8 - head.length - end.length).fill(0), ...end]
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

function hexPair([a = 0, b = 0, c = 0, d = 0]: number[]): string {
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

/** The IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4, Teredo); else undefined. */
export function embeddedV4(address: string): string | undefined {
  return embedding(address)?.v4
}

/** Whether an IPv6 address is another spelling of an IPv4 one, and dialled as that (RFC 4291, 2.5.5.2). */
export function isMapped(address: string): boolean {
  const bytes = bytesOf(address)
  return bytes?.length === 16 && contains(MAPPED, bytes)
}

function embedding(address: string): { v4: string; dialled: boolean } | undefined {
  const bytes = bytesOf(address)
  if (bytes === undefined || bytes.length !== 16) return undefined
  if (blockOf(PARSED_V6, bytes) !== undefined) return undefined
  const found = PARSED_EMBEDDINGS.find(({ range }) => contains(range, bytes))
  if (found === undefined) return undefined
  const part = bytes.subarray(found.at, found.at + 4)
  const v4 = [...part].map((byte) => (found.invert === true ? byte ^ 0xff : byte)).join('.')
  return { v4, dialled: found.dialled }
}

/**
 * What kind of address this is. An embedded IPv4 address gives the class; where the embedding is
 * one of the retired transition schemes, even a public one stays non-public.
 */
export function classOf(address: string): AddressClass {
  const bytes = bytesOf(address)
  if (bytes === undefined) return 'reserved'
  if (bytes.length === 4) return blockOf(PARSED_V4, bytes) ?? 'public'
  const special = blockOf(PARSED_V6, bytes)
  if (special !== undefined) return special
  const inner = embedding(address)
  if (inner !== undefined) {
    const kind = classOf(inner.v4)
    return kind === 'public' && !inner.dialled ? 'transition' : kind
  }
  const global = contains(GLOBAL_UNICAST, bytes) && !contains(IETF_ASSIGNMENTS, bytes)
  return global ? 'public' : 'reserved'
}

function blockOf(blocks: readonly { range: Range; kind: AddressClass }[], bytes: Uint8Array) {
  return blocks.find(({ range }) => contains(range, bytes))?.kind
}

/**
 * Whether one of the ranges holds the address. A mapped address is looked up as its IPv4 address,
 * since that is where it is dialled.
 */
export function inRanges(address: string, cidrs: readonly string[]): boolean {
  const inner = isMapped(address) ? embeddedV4(address) : undefined
  const bytes = bytesOf(inner ?? address)
  if (bytes === undefined) return false
  return cidrs.some((cidr) => contains(rangeOf(cidr), bytes))
}

function rangeOf(cidr: string): Range {
  const slash = cidr.lastIndexOf('/')
  const bytes = bytesOf(cidr.slice(0, slash)) ?? new Uint8Array()
  return { bytes, bits: Number(cidr.slice(slash + 1)) }
}

function contains(range: Range, bytes: Uint8Array): boolean {
  if (range.bytes.length !== bytes.length) return false
  const whole = range.bits >> 3
  for (let at = 0; at < whole; at += 1) if (range.bytes[at] !== bytes[at]) return false
  const rest = range.bits & 7
  if (rest === 0) return true
  const mask = (0xff << (8 - rest)) & 0xff
  return ((range.bytes[whole] ?? 0) & mask) === ((bytes[whole] ?? 0) & mask)
}

const parse = ([cidr, kind]: Block) => ({ range: rangeOf(cidr), kind })
const PARSED_V4 = V4_BLOCKS.map(parse)
const PARSED_V6 = V6_BLOCKS.map(parse)
const PARSED_EMBEDDINGS = EMBEDDINGS.map((entry) => ({ ...entry, range: rangeOf(entry.cidr) }))
const MAPPED = rangeOf('::ffff:0:0/96')
const GLOBAL_UNICAST = rangeOf('2000::/3')
const IETF_ASSIGNMENTS = rangeOf('2001::/23') // RFC 2928
