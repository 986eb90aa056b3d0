/** What git holds, read from its index without running git on a repository nobody vouches for. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes; a larger index is not read. */
const MAX_INDEX = 512 * 1024 * 1024

/** Bytes; a larger secret is not compared, and counts as one that git does not hold. */
const MAX_CONTENT = 16 * 1024 * 1024

/** The objects an index names, as hexadecimal text, by the path they are for. */
export type Index = Map<string, string>

/** The index of a repository; `undefined` where there is none that can be read. */
export async function readIndex(project: string): Promise<Index | undefined> {
  const file = join(project, '.git', 'index')
  try {
    const facts = await stat(file)
    if (!facts.isFile() || facts.size > MAX_INDEX) return undefined
    return parseIndex(await readFile(file))
  } catch {
    return undefined
  }
}

/**
 * Whether git hands out what a file now holds. That a path is in the index says nothing: an agent can
 * add the name of a secret, but not the object of a text it does not know.
 */
export async function isHeld(project: string, path: string, index: Index): Promise<boolean> {
  const object = index.get(path)
  if (object === undefined) return false
  const file = join(project, path)
  if ((await stat(file)).size > MAX_CONTENT) return false
  const bytes = await readFile(file)
  // A checkout may have written line ends of its own.
  const plain = Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  return object === objectOf(bytes) || object === objectOf(plain)
}

const objectOf = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

/**
 * The entries of an index of version 2, 3 or 4 (gitformat-index). `undefined` for anything else, also
 * for a cut one: what is not known to be tracked is masked. Pure.
 */
export function parseIndex(bytes: Buffer): Index | undefined {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const index: Index = new Map()
  let at = 12
  let previous: Buffer = Buffer.alloc(0)
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const entry = readEntry(bytes, at, version, previous)
    if (entry === undefined) return undefined
    index.set(entry.path.toString('utf8'), bytes.toString('hex', at + OBJECT, at + FLAGS))
    at = entry.end
    previous = entry.path
  }
  return index
}

type Entry = { path: Buffer; end: number }

/** Times, device, mode, owner and size: 40 bytes; then the object's name: 20 bytes; then flags. */
const OBJECT = 40
const FLAGS = 60

function readEntry(
  bytes: Buffer,
  start: number,
  version: number,
  previous: Buffer,
): Entry | undefined {
  if (start + FLAGS + 2 > bytes.length) return undefined
  const extended = (bytes.readUInt16BE(start + FLAGS) & 0x4000) !== 0
  const name = start + FLAGS + 2 + (extended ? 2 : 0)
  if (version === 4) return readCompressed(bytes, name, previous)
  const zero = bytes.indexOf(0, name)
  if (zero === -1) return undefined
  // One to eight zero bytes, so that an entry's length is a multiple of eight.
  const end = start + Math.floor((zero - start + 8) / 8) * 8
  return { path: bytes.subarray(name, zero), end }
}

/** How many bytes of the previous path to leave out, then what follows the rest of it. */
function readCompressed(bytes: Buffer, start: number, previous: Buffer): Entry | undefined {
  let at = start
  let strip = 0
  for (;;) {
    const byte = bytes[at]
    if (byte === undefined) return undefined
    at += 1
    strip = strip * 128 + (byte & 0x7f)
    if ((byte & 0x80) === 0) break
    strip += 1
  }
  const zero = bytes.indexOf(0, at)
  if (zero === -1 || strip > previous.length) return undefined
  const kept = previous.subarray(0, previous.length - strip)
  return { path: Buffer.concat([kept, bytes.subarray(at, zero)]), end: zero + 1 }
}
