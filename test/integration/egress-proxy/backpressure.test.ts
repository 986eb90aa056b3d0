import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, expect, test } from 'vitest'

import { startOrigin } from '../../support/egress/origin.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { send } from '../../support/egress/raw-client.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

const SIZE = 64 * 1024 * 1024
const PIECE = Buffer.alloc(256 * 1024, 'x')
let written = 0
let read = 0

const origin = await startOrigin({
  handler(req, res) {
    if (req.method === 'POST') {
      req.removeAllListeners('data')
      req.on('data', (chunk: Buffer) => {
        read += chunk.length
        req.pause()
      })
      return
    }
    res.writeHead(200, { 'content-length': SIZE })
    const more = () => {
      while (written < SIZE) {
        written += PIECE.length
        if (!res.write(PIECE)) return
      }
      res.end()
    }
    res.on('drain', more)
    more()
  },
})
const dns = await startDns(() => ['127.0.0.1'])
const allow = { ports: [origin.port], allow_private: ['127.0.0.1/32'] }
const proxy = await startProxy({
  rules: [
    { id: 'http', host: 'a.test', protocol: 'http', ...allow },
    { id: 'tcp', host: 'raw.test', protocol: 'tcp', ...allow },
  ],
  dns_servers: [dns.server],
})

afterAll(async () => {
  for (const part of [proxy, origin, dns]) await part[Symbol.asyncDispose]()
})

const head = (method: string, host: string, more = '') =>
  `${method} http://${host}:${origin.port}/ HTTP/1.1\r\nHost: ${host}:${origin.port}\r\n${more}\r\n`

const tunnel = `CONNECT raw.test:${origin.port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`

test.for([
  ['a forward request', head('GET', 'a.test')],
  ['a tunnel', tunnel],
] as const)('a client that stops reading stops the origin: %s', async ([, bytes]) => {
  written = 0
  const socket = proxy.connect()
  socket.pause()
  send(socket, bytes)
  await expect.poll(() => written).toBeGreaterThan(0)
  await sleep(300)
  const stopped = written
  await sleep(200)
  expect(written).toBe(stopped)
  expect(stopped).toBeLessThan(SIZE / 2)
  let count = 0
  socket.on('data', (chunk: Buffer) => {
    count += chunk.length
  })
  socket.resume()
  await expect.poll(() => count, { timeout: 8_000 }).toBeGreaterThanOrEqual(SIZE)
  socket.destroy()
})

test('an origin that stops reading stops the client', async () => {
  const socket = proxy.connect()
  send(socket, head('POST', 'a.test', `Content-Length: ${SIZE}\r\n`))
  let sent = 0
  const more = () => {
    while (sent < SIZE) {
      sent += PIECE.length
      if (!socket.write(PIECE)) return
    }
  }
  socket.on('drain', more)
  more()
  await expect.poll(() => read).toBeGreaterThan(0)
  await sleep(300)
  expect(sent).toBeLessThan(SIZE / 2)
  socket.destroy()
})
