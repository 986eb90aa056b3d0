import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { afterAll, expect, test } from 'vitest'

import type { GatewayRoute } from '../../../egress-proxy/policy.ts'
import { createAuthority } from '../../support/egress/certificates.ts'
import { startOrigin } from '../../support/egress/origin.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { exchange, read, send, wholeResponse } from '../../support/egress/raw-client.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

const KEY = 'sk-real-key-0123456789'
let streaming: { req: IncomingMessage; res: ServerResponse } | undefined
let leftAt = 0

function provider(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers['x-test'] === undefined && req.headers['anthropic-beta'] === 'stream') {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.flushHeaders()
    streaming = { req, res }
    res.on('close', () => {
      leftAt = performance.now()
    })
    return
  }
  req.resume()
  req.once('end', () => {
    if (req.headers['anthropic-beta'] === 'echo') {
      const key = String(req.headers['x-api-key'])
      res.writeHead(401, { 'www-authenticate': `Key ${key}`, 'content-type': 'text/plain' })
      res.write(`no such key: ${key.slice(0, 9)}`)
      setTimeout(() => res.end(`${key.slice(9)}, sorry`), 20)
      return
    }
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ usage: { input_tokens: 3, output_tokens: 4 } }))
  })
}

const authority = createAuthority()
const model = await startOrigin({ handler: provider, tls: authority.issue('model.test') })
const wrongName = await startOrigin({ handler: provider, tls: authority.issue('other.test') })
using stranger = createAuthority()
const untrusted = await startOrigin({ handler: provider, tls: stranger.issue('model.test') })
const local = await startOrigin({ handler: provider })
const dns = await startDns((name) => (name === 'away.test' ? ['127.0.0.9'] : ['127.0.0.1']))

const route = (id: string, origin: string, more: Partial<GatewayRoute> = {}): GatewayRoute => ({
  id,
  preset: 'anthropic',
  origin,
  credential: { header: 'x-api-key', value: KEY },
  allow_private: ['127.0.0.1/32'],
  ...more,
})
const openai: Partial<GatewayRoute> = {
  preset: 'openai',
  credential: { header: 'authorization', value: KEY },
  insecure_http: true,
}
const proxy = await startProxy({
  gateway: [
    route('anthropic', `https://model.test:${model.port}`),
    route('wrong-name', `https://model.test:${wrongName.port}`),
    route('untrusted', `https://model.test:${untrusted.port}`),
    route('openai', `http://model:${local.port}/base`, openai),
    route('away', `https://away.test:${model.port}`),
    route('nobody', 'https://model.test:1'),
  ],
  ca_certificates: authority.ca,
  dns_servers: [dns.server],
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  for (const server of [model, wrongName, untrusted, local, dns])
    await server[Symbol.asyncDispose]()
  authority[Symbol.dispose]()
})

function post(path: string, more = '', body = '{}'): string {
  const fields = `Host: 127.0.0.1:3129\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}`
  return `POST ${path} HTTP/1.1\r\n${fields}\r\n${body}`
}

const ask = (bytes: string) => exchange(proxy.connect(), bytes, { enough: wholeResponse })

test('the real key replaces whatever the client sent, and no field of it passes', async () => {
  const fields = [
    'X-Api-Key: placeholder',
    'X_Api_Key: placeholder',
    'Authorization: Bearer placeholder',
    'Cookie: placeholder',
    'X-Goog-Api-Key: placeholder',
    'X-Forwarded-Host: evil.test',
    'anthropic-version: 2023-06-01',
  ]
  const answer = await ask(
    post('/anthropic/v1/messages?beta=true&key=placeholder', `${fields.join('\r\n')}\r\n`),
  )
  expect(answer.status).toBe(200)
  const seen = model.requests.at(-1)
  expect(seen?.url).toBe('/v1/messages?beta=true')
  expect(seen?.headers.filter((text) => text === KEY)).toHaveLength(1)
  expect(seen?.headers).toContain(`model.test:${model.port}`)
  expect(seen?.headers).toContain('2023-06-01')
  expect(seen?.headers.join()).not.toMatch(/placeholder|evil/)
  const decision = await proxy.waitFor('decision', ({ path }) => path === '/v1/messages')
  expect(decision).toMatchObject({
    kind: 'gateway',
    verdict: 'allow',
    rule: 'anthropic',
    host: 'model.test',
  })
  const close = await proxy.waitFor('close', ({ id }) => id === decision.id)
  expect(close).toMatchObject({
    status: 200,
    bytes_up: 2,
    usage: { input_tokens: 3, output_tokens: 4 },
  })
})

test('the route alone chooses origin and key, whatever Host or form the client uses', async () => {
  const absolute = post('http://127.0.0.1:3129/openai/v1/chat/completions').replace(
    '127.0.0.1:3129\r',
    'model.test\r',
  )
  expect((await ask(absolute)).status).toBe(200)
  const seen = local.requests.at(-1)
  expect(seen?.url).toBe('/base/v1/chat/completions')
  expect(seen?.headers).toContain(`Bearer ${KEY}`)
  const inside = proxy.connect()
  send(inside, 'CONNECT 127.0.0.1:3129 HTTP/1.1\r\n\r\n')
  await read(inside, { enough: (text) => text.includes('\r\n\r\n') })
  const tunnelled = await exchange(inside, post('/openai/v1/responses'), { enough: wholeResponse })
  expect(tunnelled.status).toBe(200)
})

test.for([
  ['POST', '/anthropic/v1/files', 403, 'path_not_allowed'],
  ['GET', '/anthropic/v1/organizations/api_keys', 403, 'path_not_allowed'],
  ['DELETE', '/anthropic/v1/models/x', 405, 'method_not_allowed'],
  ['POST', '/anthropic/../openai/v1/responses', 400, 'path_not_canonical'],
  ['POST', '/anthropic//evil.test/v1/messages', 400, 'path_not_canonical'],
  ['POST', '//evil.test/', 400, 'path_not_canonical'],
  ['POST', '/other/v1/messages', 404, 'route_unknown'],
  ['POST', '/wrong-name/v1/messages', 502, 'tls_verify_failed'],
  ['POST', '/untrusted/v1/messages', 502, 'tls_verify_failed'],
  ['POST', '/away/v1/messages', 403, 'resolved_private'],
  ['POST', '/nobody/v1/messages', 502, 'upstream_connect_failed'],
] as const)(
  '%s %s is answered %i %s with one sentence of JSON',
  async ([method, path, status, reason]) => {
    const counts = [model, wrongName, untrusted, local].map(({ requests }) => requests.length)
    const answer = await ask(post(path).replace('POST', method))
    expect([answer.status, answer.header('x-egress-reason')]).toEqual([status, reason])
    expect(JSON.parse(answer.body)).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('Glovebox') },
    })
    expect(answer.text).not.toMatch(/127\.0\.0\.9|sk-real/)
    expect([model, wrongName, untrusted, local].map(({ requests }) => requests.length)).toEqual(
      counts,
    )
  },
)

async function startStream() {
  streaming = undefined
  const socket = proxy.connect()
  send(socket, post('/anthropic/v1/messages', 'anthropic-beta: stream\r\n'))
  await read(socket, { enough: (text) => text.includes('\r\n\r\n') })
  if (streaming === undefined) throw new Error('the provider saw no request')
  return { socket, res: (streaming as { res: ServerResponse }).res }
}

test('an upstream that echoes the key does not get it inside, in no header and across no chunks', async () => {
  const answer = await ask(post('/anthropic/v1/messages', 'anthropic-beta: echo\r\n'))
  expect(answer.status).toBe(401)
  expect(model.requests.at(-1)?.headers).toContain(KEY)
  expect(JSON.stringify(answer)).not.toContain(KEY.slice(0, 12))
  expect(JSON.stringify(answer)).toContain(`${'*'.repeat(KEY.length)}, sorry`)
})

test('an event stream passes chunk by chunk, without added delay', async () => {
  const { socket, res } = await startStream()
  for (let count = 0; count < 20; count += 1) {
    const piece = `data: {"n":${count}}\n\n`
    const started = performance.now()
    res.write(piece)
    const seen = await read(socket, { enough: (text) => text.includes(piece) })
    expect(seen.text).toContain(piece)
    expect(performance.now() - started).toBeLessThan(100)
  }
  res.end()
  socket.destroy()
})

test.for(['destroy', 'end'] as const)(
  'a client that leaves (%s) ends the upstream request within 100 ms',
  async (how) => {
    const { socket, res } = await startStream()
    leftAt = 0
    const left = performance.now()
    socket[how]()
    await once(res, 'close')
    expect(leftAt - left).toBeLessThan(100)
    await proxy.waitFor('close', ({ reason }) => reason === 'client_abort')
    socket.destroy()
  },
)

test('an upstream that breaks off in mid-stream breaks the client’s stream too', async () => {
  const { socket, res } = await startStream()
  res.write('data: x\n\n')
  res.destroy()
  const rest = await read(socket)
  expect(rest.text.endsWith('0\r\n\r\n')).toBe(false)
  await proxy.waitFor('close', ({ reason }) => reason === 'upstream_truncated')
})

test('the key is in no message, no log and no answer', () => {
  expect(JSON.stringify(proxy.messages) + proxy.stderr()).not.toContain(KEY)
})
