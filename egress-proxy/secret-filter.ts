/** Takes a route's own key out of what an upstream answers: some services echo a bad key. */

export type SecretFilter = {
  /** The bytes that may go on now; the beginning of what could be the key is held back. */
  push: (chunk: Buffer) => Buffer
  /** What was held back. */
  end: () => Buffer
  header: (value: string) => string
}

/**
 * A filter for one answer. The key is replaced by as many asterisks, so that lengths stay true.
 * An upstream that encodes the key in some way is not noticed.
 */
export function createSecretFilter(credential: string | undefined): SecretFilter {
  const key = (credential ?? '').replace(/^Bearer /, '')
  if (key === '')
    return { push: (chunk) => chunk, end: () => Buffer.alloc(0), header: (value) => value }
  const needle = Buffer.from(key)
  let held = Buffer.alloc(0)
  return {
    push(chunk) {
      const bytes = struck(held.length === 0 ? chunk : Buffer.concat([held, chunk]), needle)
      const keep = beginningAtEnd(bytes, needle)
      held = Buffer.from(bytes.subarray(bytes.length - keep))
      return bytes.subarray(0, bytes.length - keep)
    },
    end() {
      const rest = held
      held = Buffer.alloc(0)
      return rest
    },
    header: (value) => value.replaceAll(key, '*'.repeat(key.length)),
  }
}

function struck(bytes: Buffer, needle: Buffer): Buffer {
  let at = bytes.indexOf(needle)
  if (at < 0) return bytes
  const copy = Buffer.from(bytes)
  for (; at >= 0; at = copy.indexOf(needle, at)) copy.fill('*', at, at + needle.length)
  return copy
}

/** How many of the last bytes are the beginning of the needle. */
function beginningAtEnd(bytes: Buffer, needle: Buffer): number {
  for (let size = Math.min(needle.length - 1, bytes.length); size > 0; size -= 1) {
    if (bytes.subarray(bytes.length - size).equals(needle.subarray(0, size))) return size
  }
  return 0
}
