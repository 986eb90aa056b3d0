import { afterAll, expect, test } from 'vitest'

import { startOrigin } from '../../support/egress/origin.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { exchange, wholeResponse } from '../../support/egress/raw-client.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'

const origin = await startOrigin({
  handler(req, res) {
    if (req.url === '/switch') req.socket.write(SWITCH)
    if (req.url === '/redirect') res.writeHead(302, { location: 'http://evil.test/' }).end()
    if (req.url !== '/broken') return
    res.writeHead(200, { 'content-length': '100' })
    res.write('only a part', () => res.destroy())
  },
})
const dns = await startDns(() => ['127.0.0.1'])
const proxy = await startProxy({
  rules: [
    {
      id: 'plain',
      host: 'plain.test',
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

const host = `plain.test:${origin.port}`
const get = (path: string) => `GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
const ask = (bytes: string) => exchange(proxy.connect(), bytes, { enough: wholeResponse })

test('a protocol change that nobody asked for is a 502', async () => {
  const answer = await ask(get('/switch'))
  expect([answer.status, answer.header('x-egress-reason')]).toEqual([502, 'unsolicited_101'])
})

test('a redirect is passed back and not followed', async () => {
  const answer = await ask(get('/redirect'))
  expect([answer.status, answer.header('location')]).toEqual([302, 'http://evil.test/'])
  expect(dns.queries).not.toContain('evil.test')
})

test('an answer that breaks off breaks off for the client too', async () => {
  const answer = await exchange(proxy.connect(), get('/broken'))
  expect(answer.status).toBe(200)
  expect(answer.body).toBe('only a part')
  await proxy.waitFor('close', ({ reason }) => reason === 'upstream_truncated')
})
