/** What a forward proxy is asked to do, and how quickly it does it. */
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'

export type Door = { path: string } | { host: string; port: number }

/** The origin's ports behind the name `localhost`, and a name server as `address:port` that knows it. */
export type Origin = { http: number; raw: number; dns: string }

export type Rate = { perSecond: number; p50: number; p99: number }

/** The last bytes of the origin's answer. */
export const BODY = 'hello from the origin\n'

const CONNECTIONS = 16
/** Milliseconds after which a proxy that does not answer has failed. */
const PATIENCE = 10_000

/** Small requests in absolute form on connections that stay open where the proxy keeps them open. */
export async function measureRequests(door: Door, origin: Origin, seconds: number): Promise<Rate> {
  const authority = `localhost:${origin.http}`
  const text = `GET http://${authority}/small HTTP/1.1\r\nHost: ${authority}\r\n\r\n`
  return repeat(seconds, (open) => exchange(open, door, text, BODY))
}

/** One tunnel after the other on each of the connections: opened, answered 200, reset. */
export async function measureTunnels(door: Door, origin: Origin, seconds: number): Promise<Rate> {
  return repeat(seconds, async () => {
    const { socket } = await openTunnel(door, origin.raw)
    reset(socket)
    return undefined
  })
}

/** Megabytes each second that come down one tunnel. */
export async function measureThroughput(
  door: Door,
  origin: Origin,
  megabytes: number,
): Promise<number> {
  const { socket } = await openTunnel(door, origin.raw)
  const started = performance.now()
  let bytes = 0
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
  socket.write(`${megabytes}\n`)
  await once(socket, 'end')
  socket.destroy()
  if (bytes < megabytes * 1e6) throw new Error(`the tunnel ended after ${bytes} bytes`)
  return bytes / 1e3 / (performance.now() - started)
}

/** Opens tunnels that carry nothing; the caller closes them. */
export async function openTunnels(door: Door, origin: Origin, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let at = 0; at < count; at += CONNECTIONS) {
    const size = Math.min(CONNECTIONS, count - at)
    const some = Array.from({ length: size }, () => openTunnel(door, origin.raw))
    for (const { socket } of await Promise.all(some)) sockets.push(socket)
  }
  return sockets
}

export function reset(socket: Socket): void {
  // On TCP without the minute in which the port stays taken.
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

async function openTunnel(door: Door, port: number): Promise<{ socket: Socket }> {
  const text = `CONNECT localhost:${port} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`
  const socket = await exchange(undefined, door, text, '\r\n\r\n')
  if (socket === undefined) throw new Error('the proxy closed the tunnel')
  return { socket }
}

type Step = (open: Socket | undefined) => Promise<Socket | undefined>

async function repeat(seconds: number, step: Step): Promise<Rate> {
  const times: number[] = []
  const started = performance.now()
  const until = started + seconds * 1_000
  const worker = async () => {
    let open: Socket | undefined
    while (performance.now() < until) {
      const before = performance.now()
      open = await step(open)
      times.push(performance.now() - before)
    }
    if (open !== undefined) reset(open)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  const elapsed = (performance.now() - started) / 1_000
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { perSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99) }
}

/**
 * Sends a text and resolves when the answer ends with `end`: with the connection, or undefined when
 * the proxy closed it. Rejects when the answer is not 200.
 */
function exchange(
  open: Socket | undefined,
  door: Door,
  text: string,
  end: string,
): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const reused = open?.writable === true
    const socket = reused ? open : connect(door)
    let answer = ''
    const settle = (how: () => void) => {
      socket.off('data', onData).off('close', onClose).off('error', onError).off('timeout', onLate)
      socket.on('error', () => undefined)
      how()
    }
    const isWhole = () => answer.startsWith('HTTP/1.1 200') || answer.startsWith('HTTP/1.0 200')
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (!answer.endsWith(end)) return
      settle(() => (isWhole() ? resolve(socket) : reject(new Error(answer.slice(0, 200)))))
    }
    const onClose = () => {
      // One that closes each connection may do so just as it is used again.
      if (reused && answer === '') settle(() => resolve(exchange(undefined, door, text, end)))
      else settle(() => reject(new Error(`closed after ${answer.length} bytes`)))
    }
    const onError = (error: Error) => {
      if (reused && answer === '') onClose()
      else settle(() => reject(error))
    }
    const onLate = () => settle(() => reject(new Error('no answer')))
    socket.removeAllListeners('error')
    socket.on('data', onData).on('close', onClose).on('error', onError)
    socket.setTimeout(PATIENCE).on('timeout', onLate)
    socket.write(text)
  })
}
