import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'

export type ProxySocket = AsyncDisposable & {
  path: string
  /** What init said, in order. */
  said: Record<string, unknown>[]
  /** Resolves with the first message of this type, also one said before. */
  heard: (type: string) => Promise<Record<string, unknown>>
  say: (line: string) => void
  stopBeating: () => void
  /** Ends the control stream. */
  hangUp: () => void
  /** What CONNECT was asked for: `echo.test:443`. */
  asked: string[]
  /** The headers of the control request. */
  requests: IncomingMessage[]
}

/**
 * A proxy's socket as init sees it: takes one control stream, says `names` there, refuses a second,
 * beats, and answers CONNECT by the target's name: `refused.test` with 403, `size.test` with as many
 * bytes as the port says and an end, `first.test` with a greeting, `cut.test` by closing, others with
 * an echo.
 */
export async function proxySocket(
  options: { refuse?: boolean; names?: object } = {},
): Promise<ProxySocket> {
  const folder = await mkdtemp(join(tmpdir(), 'glovebox-init-'))
  const path = join(folder, 'egress.sock')
  const asked: string[] = []
  const said: Record<string, unknown>[] = []
  const waiting = new Map<string, (message: Record<string, unknown>) => void>()
  const requests: IncomingMessage[] = []
  const sockets = new Set<Duplex>()
  let control: Duplex | undefined

  const server = createServer()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('upgrade', (request, socket) => {
    requests.push(request)
    if (control !== undefined || options.refuse === true) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    control = socket
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n'
    // The first beat in the same packet: it must not be lost.
    socket.write(`${head}Upgrade: glovebox-control\r\n\r\n{"type":"heartbeat"}\n`)
    if (options.names !== undefined) {
      socket.write(`${JSON.stringify({ type: 'names', ...options.names })}\n`)
    }
    readLines(socket, (message) => {
      said.push(message)
      waiting.get(String(message['type']))?.(message)
    })
  })
  server.on('connect', (request, socket: Duplex) => {
    asked.push(request.url ?? '')
    const [host, size] = (request.url ?? '').split(':')
    if (host === 'refused.test') {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
      return
    }
    const answer = 'HTTP/1.1 200 OK\r\n\r\n'
    socket.write(host === 'first.test' ? `${answer}SSH-2.0-test\r\n` : answer)
    if (host === 'size.test') socket.end(Buffer.alloc(Number(size), 7))
    else if (host === 'cut.test') socket.destroy()
    else socket.pipe(socket)
  })
  const beats = setInterval(() => control?.write('{"type":"heartbeat"}\n'), 2_000)
  await new Promise<void>((resolve) => server.listen(path, resolve))

  return {
    path,
    said,
    asked,
    requests,
    heard(type) {
      const before = said.find((message) => message['type'] === type)
      if (before !== undefined) return Promise.resolve(before)
      return new Promise((resolve) => waiting.set(type, resolve))
    },
    say: (line) => void control?.write(`${line}\n`),
    stopBeating: () => clearInterval(beats),
    hangUp: () => void control?.destroy(),
    async [Symbol.asyncDispose]() {
      clearInterval(beats)
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true })
    },
  }
}

function readLines(socket: Duplex, onMessage: (message: Record<string, unknown>) => void): void {
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message: unknown = JSON.parse(line)
      onMessage(Object.fromEntries(Object.entries(Object(message))))
    }
  })
}
