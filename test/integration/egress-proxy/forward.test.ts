import { afterAll, expect, test } from 'vitest'

import type { EgressRule } from '../../../egress-proxy/policy.ts'
import { startOrigin } from '../../support/egress/origin.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { exchange, read, send, wholeResponse } from '../../support/egress/raw-client.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

let rebound = 0

const origin = await startOrigin({
  handler(req, res) {
    if (req.url === '/early') {
      res.writeHead(200, { 'x-egress-reason': 'allowed', connection: 'close' })
      res.write('first')
      return
    }
    if (req.url === '/rebind') res.setHeader('connection', 'close')
    req.resume()
    req.once('end', () => res.end(`origin saw ${req.url}`))
  },
})

const dns = await startDns((name, type) => {
  if (name === 'private.test') return ['127.0.0.9']
  if (name === 'mixed.test') return ['127.0.0.1', '127.0.0.9']
  if (name === 'mapped.test') return ['127.0.0.1', '64:ff9b::7f00:9']
  if (name === 'rebind.test' && type === 'A') rebound += 1
  if (name === 'rebind.test') return [rebound <= 1 ? '127.0.0.1' : '127.0.0.9']
  if (name === 'slow.test') return 'silent'
  if (name === 'broken.test') return 'fail'
  return name === 'nothing.test' ? undefined : ['127.0.0.1']
})

const rule = (host: string, more: Partial<EgressRule> = {}): EgressRule => ({
  id: host,
  host,
  ports: [origin.port, 1],
  protocol: 'http',
  allow_private: ['127.0.0.1/32'],
  ...more,
})
const names = ['plain', 'private', 'mixed', 'mapped', 'rebind', 'slow', 'broken', 'nothing']
const proxy = await startProxy({
  rules: [
    ...names.map((name) => rule(`${name}.test`)),
    rule('model'),
    rule('limited.test', { methods: ['GET'], paths: ['/v1/**'], max_request_bytes: 10 }),
  ],
  dns_servers: [dns.server],
  limits: { dns_timeout: 600, body_timeout: 400, header_timeout: 700 },
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await origin[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

const get = (host: string, path = '/x', more = '') =>
  `GET http://${host}:${origin.port}${path} HTTP/1.1\r\nHost: ${host}:${origin.port}\r\n${more}\r\n`

const ask = (bytes: string) => exchange(proxy.connect(), bytes, { enough: wholeResponse })

test('an allowed request reaches the origin with a Host made from its target', async () => {
  const answer = await ask(
    get(
      'PLAIN.test.',
      '/x?q=1',
      'Proxy-Authorization: secret\r\nX-Mine: 1\r\nConnection: x-mine\r\nVia: me\r\nX-Other: 2\r\n',
    ),
  )
  expect([answer.status, answer.body]).toEqual([200, 'origin saw /x?q=1'])
  const seen = origin.requests.at(-1)
  expect(seen?.headers.join('|')).not.toMatch(/secret|X-Mine|Via/)
  expect(seen?.headers.join('|')).toMatch(
    new RegExp(`host\\|plain.test:${origin.port}.*X-Other\\|2`, 'i'),
  )
  const decision = await proxy.waitFor('decision', ({ path }) => path === '/x')
  expect(decision).toMatchObject({
    kind: 'http',
    verdict: 'allow',
    rule: 'plain.test',
    host: 'plain.test',
  })
  const close = await proxy.waitFor('close', ({ id }) => id === decision.id)
  expect(close).toMatchObject({ reason: 'closed', status: 200, bytes_down: 17 })
  expect(JSON.stringify(proxy.messages)).not.toContain('q=1')
})

test('a name without a rule is denied before any DNS query, with a way out', async () => {
  const answer = await ask(get('c2VjcmV0.evil.test'))
  expect(answer.status).toBe(403)
  expect(answer.header('x-egress-reason')).toBe('host_not_allowed')
  expect(answer.body).toContain('c2VjcmV0.evil.test'.toLowerCase())
  expect(answer.body).toContain('egress.rules')
  expect(dns.queries).not.toContain('c2vjcmv0.evil.test')
})

test.for([
  ['private.test', 403, 'resolved_private'],
  ['mixed.test', 403, 'resolved_private'],
  ['mapped.test', 403, 'resolved_private'],
  ['slow.test', 504, 'dns_timeout'],
  ['broken.test', 502, 'dns_failed'],
  ['nothing.test', 502, 'dns_failed'],
] as const)('%s answers %i %s and nothing is dialled', async ([host, status, reason]) => {
  const before = origin.connections()
  const answer = await ask(get(host))
  expect([answer.status, answer.header('x-egress-reason')]).toEqual([status, reason])
  expect(answer.text).not.toContain('127.0.0')
  expect(origin.connections()).toBe(before)
  const decision = await proxy.waitFor('decision', (record) => record.host === host)
  expect(decision.verdict).toBe(status === 403 ? 'deny' : 'allow')
})

test('a name of one label works where a rule names it, asked for as it is', async () => {
  expect((await ask(get('model'))).status).toBe(200)
  expect(dns.queries).toContain('model')
})

test('a new connection is checked anew', async () => {
  expect((await ask(get('rebind.test', '/rebind'))).status).toBe(200)
  const second = await ask(get('rebind.test', '/rebind'))
  expect(second.header('x-egress-reason')).toBe('resolved_private')
})

test('a server that cannot be reached is a 502 and no verdict', async () => {
  const answer = await ask(`GET http://plain.test:1/ HTTP/1.1\r\nHost: plain.test:1\r\n\r\n`)
  expect([answer.status, answer.header('x-egress-reason')]).toEqual([
    502,
    'upstream_connect_failed',
  ])
})

test('bodies are streamed up, framed anew and counted', async () => {
  const body = 'GET /smug HTTP/1.1\r\nHost: evil.test\r\n\r\n'
  const head = get('plain.test', '/body', 'Transfer-Encoding: chunked\r\n')
  const answer = await ask(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
  expect(answer.status).toBe(200)
  expect(origin.requests.at(-1)).toMatchObject({ url: '/body', body })
  expect(origin.requests.some(({ url }) => url === '/smug')).toBe(false)
  const decision = await proxy.waitFor('decision', ({ path }) => path === '/body')
  const close = await proxy.waitFor('close', ({ id }) => id === decision.id)
  expect(close.bytes_up).toBe(body.length)
})

test.for([
  [
    'a chunk size ended by a bare LF',
    'Transfer-Encoding: chunked\r\n',
    '3\nabc\r\n0\r\n\r\n',
    400,
    'bad_framing',
  ],
  ['a body that stops coming', 'Content-Length: 9\r\n', 'abc', 408, 'body_timeout'],
  ['a body that never comes', 'Content-Length: 9\r\n', '', 408, 'body_timeout'],
] as const)('%s is refused', async ([, fields, body, status, reason]) => {
  const answer = await ask(get('plain.test', '/bad', fields).replace('GET', 'POST') + body)
  expect([answer.status, answer.header('x-egress-reason')]).toEqual([status, reason])
  expect(origin.requests.some(({ url }) => url === '/bad')).toBe(false)
})

test.for([
  ['POST', '/v1/x', 'Content-Length: 3\r\n', 'abc', 405, 'method_not_allowed'],
  ['GET', '/v2/x', '', '', 403, 'path_not_allowed'],
  ['GET', '/v1/x', 'Content-Length: 11\r\n', 'abcdefghijk', 413, 'body_too_large'],
  [
    'GET',
    '/v1/x',
    'Transfer-Encoding: chunked\r\n',
    'b\r\nabcdefghijk\r\n0\r\n\r\n',
    413,
    'body_too_large',
  ],
] as const)(
  'a limited rule refuses %s %s %j',
  async ([method, path, fields, body, status, reason]) => {
    const answer = await ask(get('limited.test', path, fields).replace('GET', method) + body)
    expect([answer.status, answer.header('x-egress-reason')]).toEqual([status, reason])
  },
)

const enough = (text: string) => text.split('HTTP/1.1 ').length > 2

test('pipelined requests are judged one by one, and a flood of them is refused', async () => {
  const two = await exchange(proxy.connect(), get('plain.test') + get('evil.test'), { enough })
  expect(two.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403'])
  const flood = await exchange(proxy.connect(), get('plain.test').repeat(200))
  expect(flood.text).toContain('X-Egress-Reason: pipeline_limit')
  expect(flood.text.match(/HTTP\/1\.1 200/g)?.length).toBeLessThanOrEqual(32)
})

test('a client that closed its sending side still gets its answer', async () => {
  const socket = proxy.connect()
  send(socket, get('plain.test', '/half'))
  socket.end()
  expect((await read(socket)).body).toBe('origin saw /half')
})

test('100 Continue comes after the verdict', async () => {
  const fields = 'Expect: 100-continue\r\nContent-Length: 3\r\n'
  const denied = await ask(get('evil.test', '/', fields).replace('GET', 'POST'))
  expect(denied.status).toBe(403)
  const socket = proxy.connect()
  send(socket, get('plain.test', '/continue', fields).replace('GET', 'POST'))
  const first = await read(socket, { enough: (text) => text.includes('\r\n\r\n') })
  expect(first.status).toBe(100)
  socket.write('abc')
  expect((await read(socket, { enough: wholeResponse })).status).toBe(200)
  socket.destroy()
})

test('an answer starts before it is whole, and carries no verdict of another', async () => {
  const socket = proxy.connect()
  send(socket, get('plain.test', '/early'))
  const answer = await read(socket, { enough: (text) => text.includes('first') })
  socket.destroy()
  expect(answer.status).toBe(200)
  expect(answer.header('x-egress-reason')).toBeUndefined()
})

test.for([
  [
    'an origin-form request',
    'GET /x HTTP/1.1\r\nHost: plain.test\r\n\r\n',
    400,
    'not_absolute_form',
  ],
  [
    'too large a header',
    get('plain.test', '/', `X: ${'a'.repeat(17_000)}\r\n`),
    431,
    'header_too_large',
  ],
  ['too many fields', get('plain.test', '/', 'a: 1\r\n'.repeat(300)), 431, 'header_too_large'],
  ['a header that never ends', 'GET http://plain.test/ HTTP/1.1\r\nHost:', 408, 'header_timeout'],
  ['SOCKS', '\u0005\u0001\u0000', 400, 'unsupported_protocol'],
] as const)('%s is refused', async ([, bytes, status, reason]) => {
  const answer = await ask(bytes)
  expect([answer.status, answer.header('x-egress-reason')]).toEqual([status, reason])
})

test('requests that wait in line on a connection that goes away are given back', async () => {
  for (let round = 0; round < 15; round += 1) {
    const socket = proxy.connect()
    send(socket, get('slow.test').repeat(30))
    await read(socket, { milliseconds: 20 })
    socket.destroy()
  }
  await expect.poll(async () => (await ask(get('plain.test'))).status).toBe(200)
})
