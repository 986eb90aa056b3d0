/** The origin that allowed names lead to: HTTP and TLS, with misbehaviour to order by path. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'

import type { TestAuthority } from '../support/egress/certificates.ts'
import { startTcp } from '../support/egress/origin.ts'

export type PublicOrigin = AsyncDisposable & {
  /** Request heads as they arrived on port 80, and model requests likewise. */
  heads: string[]
  /** Plain bytes that arrived over TLS on port 443. */
  secrets: string[]
  /** Connections accepted on 443. */
  tlsConnections: () => number
  modelPort: number
  /** Connections open on port 80. */
  open: () => number
  /** Resolves when the next model stream's client is gone. */
  streamEnded: () => Promise<void>
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Raw answers that no sound proxy passes on as they are. */
export const MISBEHAVIOUR: Record<string, string> = {
  '/cl-te': 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  '/two-cl': 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd',
  '/obs-fold': 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n',
  '/bare-lf': 'HTTP/1.1 200 OK\nContent-Length: 0\n\n',
  '/nul': 'HTTP/1.1 200 OK\r\nX: a\u0000b\r\nContent-Length: 0\r\n\r\n',
  '/http09': 'hello without a header\n',
  '/big-header': `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`,
  '/unsolicited-101':
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  '/te-gzip': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  '/cl-negative': 'HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\nabcd',
  '/cl-list': 'HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\nabcd',
  '/te-unknown': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\nabcd',
  '/chunk-bad': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabcd\r\n',
  '/status-bad': 'HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n',
  '/space-colon': 'HTTP/1.1 200 OK\r\nContent-Length : 4\r\n\r\nabcd',
  '/cut': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabcd',
  '/redirect': 'HTTP/1.1 302 Found\r\nLocation: http://evil.test/x\r\nContent-Length: 0\r\n\r\n',
  '/forged': 'HTTP/1.1 200 OK\r\nX-Egress-Reason: host_not_allowed\r\nContent-Length: 2\r\n\r\nok',
  '/hints': `${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(500)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`,
  '/poison':
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' +
    'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison',
}

export async function startPublicOrigin(
  host: string,
  authority: TestAuthority,
): Promise<PublicOrigin> {
  const heads: string[] = []
  const secrets: string[] = []
  const streams: ServerResponse[] = []
  const handler = (req: IncomingMessage, res: ServerResponse) => serve(req, res, heads, streams)
  const inner = createServer(handler)
  inner.on('upgrade', (req: IncomingMessage, socket: Socket) => upgrade(req, socket, heads))
  let count = 0
  const plain = await startTcp(
    (socket) => {
      count += 1
      socket.once('close', () => (count -= 1))
      inner.emit('connection', socket)
    },
    { host, port: 80 },
  )
  const certificate = authority.issue('api.allowed.test')
  const opaque = createTls(certificate, (socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      secrets.push(chunk.toString('latin1'))
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  const secure = await startTcp((socket) => opaque.emit('connection', socket), { host, port: 443 })
  const model = createHttps(authority.issue('model.allowed.test'), handler)
  model.listen(0, host)
  await once(model, 'listening')
  const address = model.address()
  return {
    heads,
    secrets,
    open: () => count,
    tlsConnections: secure.connections,
    modelPort: typeof address === 'object' && address !== null ? address.port : 0,
    async streamEnded() {
      const stream = streams.at(-1)
      if (stream !== undefined && !stream.closed) await once(stream, 'close')
    },
    async [Symbol.asyncDispose]() {
      await plain[Symbol.asyncDispose]()
      await secure[Symbol.asyncDispose]()
      model.closeAllConnections()
      model.close()
    },
  }
}

function headOf(req: IncomingMessage): string {
  const fields = req.rawHeaders.flatMap((text, at) =>
    at % 2 === 0 ? [`${text}: ${req.rawHeaders[at + 1]}`] : [],
  )
  return [`${req.method} ${req.url}`, ...fields].join('\r\n')
}

function serve(
  req: IncomingMessage,
  res: ServerResponse,
  heads: string[],
  streams: ServerResponse[],
): void {
  heads.push(headOf(req))
  const raw = MISBEHAVIOUR[req.url ?? '']
  if (raw !== undefined) {
    req.socket.write(Buffer.from(raw, 'latin1'))
    if (req.url === '/http09' || req.url === '/cut') req.socket.end()
    return
  }
  if (req.headers['anthropic-beta'] === 'stream') {
    streams.push(res)
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.write('data: 1\n\n')
    return
  }
  if (req.headers['anthropic-beta'] === 'echo') return echoKey(req, res)
  if (req.headers['anthropic-beta'] === 'redirect') {
    res.writeHead(307, { location: 'http://evil.test/' }).end()
    return
  }
  req.resume()
  req.once('end', () => reply(req, res))
}

/** The key in the status line, in a field, and in two pieces of the body. */
function echoKey(req: IncomingMessage, res: ServerResponse): void {
  const key = String(req.headers['x-api-key'])
  res.writeHead(200, `bad ${key}`, { 'x-echo': key })
  res.write(`{"error":"${key.slice(0, 5)}`)
  setTimeout(() => res.end(`${key.slice(5)}"}`), 50)
}

function reply(req: IncomingMessage, res: ServerResponse): void {
  if (req.url === '/gzip') res.setHeader('content-encoding', 'gzip')
  if (req.headers.host?.startsWith('rebind') === true) res.setHeader('connection', 'close')
  if (req.url === '/never') return
  if (req.url === '/slow') setTimeout(() => res.end('slow'), 200)
  else res.end(req.url === '/gzip' ? Buffer.from([31, 139, 8, 0]) : 'public origin')
}

function upgrade(req: IncomingMessage, socket: Socket, heads: string[]): void {
  heads.push(headOf(req))
  if (req.headers.upgrade?.toLowerCase() !== 'websocket') {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    return
  }
  socket.on('error', () => undefined)
  const false101 = falseAnswer(req)
  if (false101 !== undefined) {
    socket.on('end', () => socket.end()).resume()
    socket.write(false101)
    return
  }
  const accept = createHash('sha1')
    .update(`${req.headers['sec-websocket-key']}${GUID}`)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
}

/** Answers to a handshake that no proxy may take for a WebSocket; empty: none at all. */
function falseAnswer({ url, headers }: IncomingMessage): string | undefined {
  const right = createHash('sha1').update(`${headers['sec-websocket-key']}${GUID}`).digest('base64')
  const accept = `Sec-WebSocket-Accept: ${right}\r\n`
  const start = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n'
  const answers: Record<string, string> = {
    '/ws-never': '',
    '/ws-wrong': `${start}Upgrade: websocket\r\nSec-WebSocket-Accept: AAAA\r\n\r\nraw bytes`,
    '/ws-none': `${start}Upgrade: websocket\r\n\r\nraw bytes`,
    '/ws-other': `${start}Upgrade: tcp\r\n${accept}\r\nraw bytes`,
    '/ws-twice': `${start}Upgrade: websocket\r\n${accept}${accept}\r\nraw bytes`,
    '/ws-200': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  }
  return answers[url ?? '']
}
