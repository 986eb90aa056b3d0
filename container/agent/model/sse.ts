/** Server-sent events off a byte stream (WHATWG HTML, section 9.2). */

export type ServerSentEvent = { event: string; data: string }

/** Characters of one event; a provider that sends more is broken. */
const LIMIT = 16 * 1024 * 1024

/** Yields each event as it is complete. An event cut off by the end of the stream is dropped. */
export async function* serverSentEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  let event = ''
  let data: string[] = []
  let size = 0
  for await (const line of lines(bytes)) {
    if (line === '') {
      if (data.length > 0) yield { event: event === '' ? 'message' : event, data: data.join('\n') }
      event = ''
      data = []
      size = 0
      continue
    }
    size += line.length
    if (size > LIMIT) throw new RangeError('a server-sent event is too long')
    const [field, value] = fieldOf(line)
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true })
    // A final CR may be the first half of CR LF: it waits for the next chunk.
    const parts = rest.split(/\r\n|\n|\r(?!$)/)
    rest = parts.pop() ?? ''
    if (rest.length > LIMIT) throw new RangeError('a server-sent event is too long')
    yield* parts
  }
}
