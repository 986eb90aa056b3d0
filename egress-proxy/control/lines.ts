/** JSON Lines: the codec of both control channels. Pure. */

export type LineReader = (chunk: Buffer) => string[]

/**
 * Cuts a byte stream into lines, wherever its chunks begin. Throws a RangeError once a line is
 * longer than `max` bytes.
 */
export function createLineReader(max: number): LineReader {
  let parts: Buffer[] = []
  let length = 0
  return (chunk) => {
    const lines: string[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at))
      length += at - from
      if (length > max) throw new RangeError('line too long')
      lines.push(Buffer.concat(parts).toString('utf8'))
      parts = []
      length = 0
      from = at + 1
    }
    const rest = chunk.subarray(from)
    if (rest.length > 0) parts.push(Buffer.from(rest))
    length += rest.length
    if (length > max) throw new RangeError('line too long')
    return lines
  }
}

/** One object per line; undefined when the text is anything else. */
export function parseObject(line: string): Record<string, unknown> | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return { ...value }
}
