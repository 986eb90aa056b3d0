import { createReadStream } from 'node:fs'

/** Bytes of a line that are kept; what follows is counted only. */
const KEPT = 1024 * 1024

export type Line = {
  text: string
  /** False for what follows the last newline. */
  ended: boolean
  /** The line was longer than is kept, or is no UTF-8. */
  unreadable: boolean
}

/** A file's lines, cut at LF only and read as they come. Errors: those of reading. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let length = 0
  const keep = (bytes: Buffer) => {
    if (length < KEPT) parts.push(bytes.subarray(0, KEPT - length))
    length += bytes.length
  }
  const take = (ended: boolean): Line => {
    const line = decode(Buffer.concat(parts), ended, length > KEPT)
    parts = []
    length = 0
    return line
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, at))
      yield take(true)
      from = at + 1
    }
    keep(chunk.subarray(from))
  }
  if (length > 0) yield take(false)
}

function decode(bytes: Buffer, ended: boolean, cut: boolean): Line {
  const text = bytes.toString('utf8')
  // A replaced byte sequence does not come back as it was.
  const unreadable = cut || !Buffer.from(text, 'utf8').equals(bytes)
  return { text, ended, unreadable }
}
