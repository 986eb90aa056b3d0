/** Servers that an allowed, or a forbidden, name leads to. */
import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type Server, type Socket, createServer as createTcpServer } from 'node:net'

import type { TestCertificate } from './certificates.ts'

type Seen = { method: string; url: string; headers: string[]; body: string }

export type Origin = AsyncDisposable & {
  port: number
  /** Whole requests, in order of their end. */
  requests: Seen[]
  /** Connections accepted. */
  connections: () => number
}

type Options = {
  host?: string
  port?: number
  handler?: RequestListener
  tls?: TestCertificate
}

/** An HTTP(S) server that answers 200 with the request's path, unless a handler says otherwise. */
export async function startOrigin(options: Options = {}): Promise<Origin> {
  const requests: Seen[] = []
  const handler = options.handler ?? echo
  const listener: RequestListener = (req, res) => {
    record(req, requests)
    handler(req, res)
  }
  const server =
    options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener)
  server.on('upgrade', (req, socket) => {
    record(req, requests)
    socket.destroy()
  })
  return { requests, ...(await listening(server, options)) }
}

const echo: RequestListener = (req, res) => {
  req.resume()
  req.once('end', () => res.end(`origin saw ${req.url}\n`))
}

function record(req: IncomingMessage, requests: Seen[]): void {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.once('end', () => {
    const body = Buffer.concat(chunks).toString('latin1')
    requests.push({ method: req.method ?? '', url: req.url ?? '', headers: req.rawHeaders, body })
  })
}

/** A TCP server that gives every connection to `serve`. */
export async function startTcp(
  serve: (socket: Socket) => void,
  options: { host?: string; port?: number } = {},
): Promise<Omit<Origin, 'requests'>> {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  return listening(server, options)
}

async function listening(server: Server, { host = '127.0.0.1', port = 0 }: Options) {
  let count = 0
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    count += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => count,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
