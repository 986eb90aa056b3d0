/** Bytes to a socket and whatever comes back. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type RawAnswer = {
  text: string
  status: number
  header: (name: string) => string | undefined
  body: string
}

export type Until = { milliseconds?: number; enough?: (text: string) => boolean }

/** Sends bytes and reads until the peer ends, `enough` is true, or the time is over. Destroys the socket. */
export async function exchange(
  socket: Socket,
  bytes: string | Buffer,
  until: Until = {},
): Promise<RawAnswer> {
  try {
    send(socket, bytes)
    return await read(socket, until)
  } finally {
    socket.destroy()
  }
}

export function send(socket: Socket, bytes: string | Buffer): void {
  if (socket.listenerCount('error') === 0) socket.on('error', () => undefined)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
}

/** Reads until the peer ends, `enough` is true, or the time is over; leaves the socket open. */
export async function read(
  socket: Socket,
  { milliseconds = 3_000, enough }: Until = {},
): Promise<RawAnswer> {
  let text = ''
  const done = Promise.withResolvers<void>()
  const onData = (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (enough?.(text) === true) done.resolve()
  }
  const stop = new AbortController()
  const ended = ['end', 'close'].map((event) =>
    once(socket, event, { signal: stop.signal }).catch(() => undefined),
  )
  socket.on('data', onData)
  await Promise.race([done.promise, ...ended, sleep(milliseconds)])
  socket.off('data', onData)
  stop.abort()
  return parseAnswer(text)
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  return {
    text,
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 0),
    header: (name) =>
      fields
        .find((field) => field.toLowerCase().startsWith(`${name.toLowerCase()}:`))
        ?.replace(/^[^:]*:\s*/, ''),
    body: rest.join('\r\n\r\n'),
  }
}

/** Enough once one whole response with Content-Length is there. */
export function wholeResponse(text: string): boolean {
  const answer = parseAnswer(text)
  const length = answer.header('content-length')
  if (!text.includes('\r\n\r\n')) return false
  if (length !== undefined) return answer.body.length >= Number(length)
  return text.endsWith('\r\n0\r\n\r\n')
}
