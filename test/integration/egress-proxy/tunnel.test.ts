import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

import { afterAll, expect, test } from 'vitest'

import type { EgressRule } from '../../../egress-proxy/policy.ts'
import { createAuthority } from '../../support/egress/certificates.ts'
import { clientHello } from '../../support/egress/client-hello.ts'
import { startOrigin, startTcp } from '../../support/egress/origin.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { exchange, read, send, wholeResponse } from '../../support/egress/raw-client.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

const authority = createAuthority()
const secure = await startOrigin({ tls: authority.issue('api.test') })
const plain = await startOrigin()
const received: Buffer[] = []
const banner = await startTcp((socket) => {
  socket.write('220 ready\n')
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('end', () => socket.end('bye\n'))
})
const held = new Set<unknown>()
const idleServer = await startTcp((socket) => {
  held.add(socket)
  socket.resume()
  socket.once('end', () => socket.end())
  socket.once('close', () => held.delete(socket))
})
const idle = { port: idleServer.port, open: () => held.size }
const dns = await startDns((name) => (name === 'private.test' ? ['127.0.0.9'] : ['127.0.0.1']))
const rule = (
  id: string,
  protocol: EgressRule['protocol'],
  port: number,
  host = 'api.test',
): EgressRule => ({
  id,
  host,
  ports: [port],
  protocol,
  allow_private: ['127.0.0.1/32'],
})
const proxy = await startProxy({
  rules: [
    rule('secure', 'tls', secure.port),
    rule('silent', 'tls', banner.port),
    rule('nobody', 'tls', 1),
    rule('plain', 'http', plain.port),
    rule('raw', 'tcp', banner.port, 'raw.test'),
    rule('idle', 'http', idle.port, 'idle.test'),
    rule('private', 'tls', 443, 'private.test'),
  ],
  dns_servers: [dns.server],
  limits: { peek_timeout: 500, tunnel_idle: 1_000, tunnels: 20 },
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  for (const server of [secure, plain, banner, idleServer, dns]) await server[Symbol.asyncDispose]()
  authority[Symbol.dispose]()
})

const connectLine = (target: string, more = '') =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${more}\r\n`

async function open(target: string) {
  const socket = proxy.connect()
  send(socket, connectLine(target))
  const answer = await read(socket, { enough: (text) => text.includes('\r\n\r\n') })
  return { socket, answer }
}

test('TLS to an allowed host passes byte for byte and is recorded', async () => {
  const { socket, answer } = await open(`API.test.:${secure.port}`)
  expect(answer.status).toBe(200)
  const tls = connectTls({ socket, servername: 'api.test', ca: authority.ca })
  await once(tls, 'secureConnect')
  const page = await exchange(
    tls,
    'GET /hello HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n',
  )
  expect(page.text).toContain('origin saw /hello')
  const decision = await proxy.waitFor('decision', ({ rule: id }) => id === 'secure')
  expect(decision).toMatchObject({
    kind: 'connect',
    verdict: 'allow',
    host: 'api.test',
    port: secure.port,
  })
  const close = await proxy.waitFor('close', ({ id }) => id === decision.id)
  expect(close.bytes_up).toBeGreaterThan(200)
  expect(close.bytes_down).toBeGreaterThan(500)
})

test('a greeting that comes with the request, or in single bytes over many records, passes', async () => {
  const bytes = clientHello({ names: ['api.test'], padding: 30, record: 20 })
  const early = proxy.connect()
  send(early, Buffer.concat([Buffer.from(connectLine(`api.test:${secure.port}`)), bytes]))
  // The origin answers the handmade greeting with an alert: proof that it arrived.
  const alert = await read(early, { enough: (text) => text.split('\r\n\r\n')[1] !== '' })
  expect(Buffer.from(alert.body, 'latin1')[0]).toBe(21)
  const { socket } = await open(`api.test:${secure.port}`)
  const answered = read(socket, { enough: (text) => text.length >= 7 })
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]))
    await sleep(0)
  }
  expect(Buffer.from((await answered).text, 'latin1')[0]).toBe(21)
  socket.destroy()
})

test.for([
  ['sni_mismatch', clientHello({ names: ['evil.test'] })],
  ['sni_missing', clientHello({})],
  ['sni_invalid', clientHello({ names: ['127.0.0.1'] })],
  ['ech_present', clientHello({ names: ['api.test'], ech: true })],
  ['not_tls', Buffer.from('SSH-2.0-OpenSSH_9\r\n')],
  ['sni_invalid', clientHello({ names: ['api.test'], padding: 20_000 })],
  ['tls_peek_timeout', Buffer.alloc(0)],
] as const)(
  '%s closes the tunnel before a byte passes, in either direction',
  async ([reason, bytes]) => {
    received.length = 0
    const { socket, answer } = await open(`api.test:${banner.port}`)
    expect(answer.status).toBe(200)
    const seen = proxy.decisions().length
    const after = await exchange(socket, bytes, { milliseconds: 2_000 })
    expect(after.text).toBe('')
    await proxy.waitFor('decision', (made) => proxy.decisions().indexOf(made) >= seen)
    expect(proxy.decisions().at(-1)).toMatchObject({ verdict: 'deny', reason, host: 'api.test' })
    expect(received).toEqual([])
  },
)

test('a tcp rule pipes both ways and keeps half-close', async () => {
  received.length = 0
  const { socket } = await open(`raw.test:${banner.port}`)
  send(socket, 'hello')
  socket.end()
  const answer = await read(socket)
  expect(answer.text).toContain('bye')
  expect(Buffer.concat(received).toString()).toBe('hello')
})

test('an idle tunnel is closed', async () => {
  const { socket } = await open(`raw.test:${banner.port}`)
  const started = performance.now()
  await read(socket, { milliseconds: 4_000 })
  expect(performance.now() - started).toBeGreaterThan(800)
  await proxy.waitFor('close', ({ reason }) => reason === 'idle_timeout')
  socket.destroy()
})

test.for([
  [connectLine('evil.test:443'), 403, 'host_not_allowed'],
  [connectLine('api.test:22'), 403, 'port_not_allowed'],
  [connectLine('127.0.0.1:443'), 403, 'ip_literal_not_allowed'],
  [connectLine('private.test:443'), 403, 'resolved_private'],
  [connectLine('api.test:1'), 502, 'upstream_connect_failed'],
  [connectLine('api.test'), 400, 'malformed_authority'],
  [connectLine('api.test:443', 'Content-Length: 3\r\n') + 'abc', 400, 'connect_with_body'],
  [connectLine('api.test:443', 'Transfer-Encoding: chunked\r\n'), 400, 'connect_with_body'],
] as const)('%j is answered %i %s', async ([bytes, status, reason]) => {
  const answer = await exchange(proxy.connect(), bytes)
  expect([answer.status, answer.header('x-egress-reason')]).toEqual([status, reason])
  expect(answer.text).not.toContain('127.0.0.9')
  expect(dns.queries).not.toContain('evil.test')
})

test('HTTP/1.0 clients get a tunnel too', async () => {
  const socket = proxy.connect()
  send(socket, `CONNECT raw.test:${banner.port} HTTP/1.0\r\n\r\n`)
  const answer = await read(socket, { enough: (text) => text.includes('220 ready') })
  expect(answer.status).toBe(200)
  socket.destroy()
})

test('plain HTTP inside a tunnel is judged on every request, over one connection', async () => {
  const target = `api.test:${plain.port}`
  const before = plain.connections()
  const { socket } = await open(target)
  for (const path of ['/one', '/two']) {
    send(socket, `GET ${path} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
    const answer = await read(socket, { enough: wholeResponse })
    expect(answer.body).toBe(`origin saw ${path}\n`)
  }
  expect(plain.connections()).toBe(before + 1)
  send(socket, `GET /three HTTP/1.1\r\nHost: evil.test\r\n\r\n`)
  const denied = await read(socket, { enough: wholeResponse })
  expect([denied.status, denied.header('x-egress-reason')]).toEqual([400, 'host_mismatch'])
  send(socket, connectLine('api.test:443'))
  const nested = await read(socket)
  expect([nested.status, nested.header('x-egress-reason')]).toEqual([405, 'connect_inside_tunnel'])
  expect(plain.requests.some(({ url }) => url === '/three')).toBe(false)
})

test('tunnels are counted, and given back', async () => {
  const tunnels = await Promise.all(
    Array.from({ length: 20 }, () => open(`raw.test:${banner.port}`)),
  )
  const over = await open(`raw.test:${banner.port}`)
  expect([over.answer.status, over.answer.header('x-egress-reason')]).toEqual([
    503,
    'too_many_connections',
  ])
  for (const { socket } of tunnels) socket.destroy()
  await sleep(100)
  const next = await open(`raw.test:${banner.port}`)
  expect(next.answer.status).toBe(200)
  next.socket.destroy()
})

test('a tunnel for plain HTTP that is never used leaves no connection behind', async () => {
  const before = idle.open()
  const { socket, answer } = await open(`idle.test:${idle.port}`)
  expect(answer.status).toBe(200)
  expect(idle.open()).toBe(before + 1)
  socket.destroy()
  await expect.poll(() => idle.open()).toBe(before)
})
