import { createHash } from 'node:crypto'

import { afterAll, expect, test } from 'vitest'

import { startTcp } from '../../support/egress/origin.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { exchange, read, send } from '../../support/egress/raw-client.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
const ACCEPT = createHash('sha1')
  .update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  .digest('base64')

const received: string[] = []
const origin = await startTcp((socket) => {
  let text = ''
  socket.on('end', () => socket.end())
  socket.on('data', (chunk: Buffer) => {
    const switched = text.includes('\r\n\r\n')
    text += chunk.toString('latin1')
    if (switched) socket.write(`echo:${chunk.toString('latin1')}`)
    else if (text.includes('\r\n\r\n')) {
      received.push(text)
      socket.write(answerTo(text))
    }
  })
})

function answerTo(text: string): string {
  const path = /^GET (\S+)/.exec(text)?.[1]
  const switching =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
  if (path === '/wrong') return `${switching}Sec-WebSocket-Accept: ${'A'.repeat(27)}=\r\n\r\n`
  if (path === '/none') return `${switching}\r\n`
  if (path === '/refuse') return 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope'
  return `${switching}Sec-WebSocket-Accept: ${ACCEPT}\r\nSec-WebSocket-Protocol: chat\r\n\r\n`
}

const dns = await startDns(() => ['127.0.0.1'])
const proxy = await startProxy({
  rules: [
    {
      id: 'ws',
      host: 'ws.test',
      ports: [origin.port],
      protocol: 'http',
      allow_private: ['127.0.0.1/32'],
    },
  ],
  dns_servers: [dns.server],
})

afterAll(async () => {
  for (const part of [proxy, origin, dns]) await part[Symbol.asyncDispose]()
})

const host = `ws.test:${origin.port}`
const handshake = (path: string, more = '', version = '13') =>
  `GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: ${version}\r\n${more}\r\n`
const headerEnd = (text: string) => text.includes('\r\n\r\n')

test('a correct 101 turns the connection into raw bytes both ways', async () => {
  const socket = proxy.connect()
  send(socket, handshake('/chat', 'Sec-WebSocket-Protocol: chat\r\nVia: me\r\n'))
  const answer = await read(socket, { enough: headerEnd })
  expect([answer.status, answer.header('sec-websocket-protocol')]).toEqual([101, 'chat'])
  send(socket, 'ping')
  expect((await read(socket, { enough: (text) => text.includes('ping') })).text).toBe('echo:ping')
  expect(received.at(-1)).toContain('Upgrade: websocket')
  expect(received.at(-1)).not.toContain('Via')
  socket.destroy()
  const close = await proxy.waitFor('close', ({ status }) => status === 101)
  expect(close.bytes_down).toBeGreaterThan(9)
})

test('a WebSocket inside a tunnel to an http rule works too', async () => {
  const socket = proxy.connect()
  send(socket, `CONNECT ${host} HTTP/1.1\r\n\r\n`)
  await read(socket, { enough: headerEnd })
  send(socket, handshake('/chat').replace(`http://${host}`, ''))
  expect((await read(socket, { enough: headerEnd })).status).toBe(101)
  send(socket, 'ping')
  expect((await read(socket, { enough: (text) => text.includes('ping') })).text).toBe('echo:ping')
  socket.destroy()
})

test.for(['/wrong', '/none'])(
  'an answer of 101 without the right proof (%s) is a 502',
  async (path) => {
    const answer = await exchange(proxy.connect(), handshake(path))
    expect([answer.status, answer.header('x-egress-reason')]).toEqual([502, 'bad_upgrade'])
  },
)

test('a refusal is passed back, and what was sent behind the handshake is not passed on', async () => {
  const before = received.length
  const smuggled = `GET http://${host}/secret HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const answer = await exchange(proxy.connect(), handshake('/refuse') + smuggled)
  expect([answer.status, answer.body]).toEqual([404, 'nope'])
  expect(received.slice(before).join()).not.toContain('secret')
})

test.for([
  ['another version', handshake('/chat', '', '1337'), 426, 'bad_upgrade'],
  ['two keys', handshake('/chat', `Sec-WebSocket-Key: ${KEY}\r\n`), 400, 'bad_upgrade'],
  ['a POST', handshake('/chat').replace('GET', 'POST'), 400, 'bad_upgrade'],
  ['a body', handshake('/chat', 'Content-Length: 3\r\n'), 400, 'bad_upgrade'],
  ['a denied host', handshake('/chat').replaceAll('ws.test', 'evil.test'), 403, 'host_not_allowed'],
] as const)('%s is refused unseen', async ([, bytes, status, reason]) => {
  const before = received.length
  const answer = await exchange(proxy.connect(), bytes)
  expect([answer.status, answer.header('x-egress-reason')]).toEqual([status, reason])
  expect(received).toHaveLength(before)
})
