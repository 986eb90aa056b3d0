import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { ProxyAgent, request } from 'undici'
import { afterAll, expect, test } from 'vitest'

import { startBridge } from '../../support/egress/bridge.ts'
import { createAuthority } from '../../support/egress/certificates.ts'
import { startOrigin } from '../../support/egress/origin.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

const authority = createAuthority()
const secure = await startOrigin({ tls: authority.issue('api.test') })
const plain = await startOrigin()
const dns = await startDns(() => ['127.0.0.1'])
const proxy = await startProxy({
  rules: [
    {
      id: 'secure',
      host: 'api.test',
      ports: [secure.port],
      protocol: 'tls',
      allow_private: ['127.0.0.1/32'],
    },
    {
      id: 'plain',
      host: 'api.test',
      ports: [plain.port],
      protocol: 'http',
      allow_private: ['127.0.0.1/32'],
    },
  ],
  dns_servers: [dns.server],
})
const bridge = await startBridge(proxy.socketPath)

afterAll(async () => {
  for (const part of [bridge, proxy, secure, plain, dns]) await part[Symbol.asyncDispose]()
  authority[Symbol.dispose]()
})

const run = promisify(execFile)

async function inNode(script: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    env: {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: bridge.url,
      HTTPS_PROXY: bridge.url,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_NO_WARNINGS: '1',
    },
  })
  return stdout.trim()
}

const fetched = (url: string) =>
  inNode(`const r = await fetch('${url}'); console.log(r.status, (await r.text()).trim())`)

test('Node’s fetch reaches allowed hosts over http and https', async () => {
  expect(await fetched(`http://api.test:${plain.port}/one`)).toBe('200 origin saw /one')
  expect(await fetched(`https://api.test:${secure.port}/two`)).toBe('200 origin saw /two')
})

const getWithHttp = (host: string) => `
  import { get } from 'node:http'
  get('http://${host}:${plain.port}/three', (r) => { r.resume(); console.log(r.statusCode, r.headers['x-egress-reason']) })`

test('Node’s http module reaches an allowed host, and a denied one answers 403', async () => {
  expect(await inNode(getWithHttp('api.test'))).toBe('200 undefined')
  expect(await inNode(getWithHttp('evil.test'))).toBe('403 host_not_allowed')
})

test('Node’s fetch of a denied host fails', async () => {
  await expect(fetched(`https://evil.test:${secure.port}/`)).rejects.toThrow(/fetch failed/)
  expect(dns.queries).not.toContain('evil.test')
})

test('undici’s ProxyAgent reaches allowed hosts, in absolute form and by CONNECT', async () => {
  const agent = new ProxyAgent({ uri: bridge.url, requestTls: { ca: authority.ca } })
  const page = async (url: string) => (await request(url, { dispatcher: agent })).body.text()
  expect(await page(`http://api.test:${plain.port}/four`)).toBe('origin saw /four\n')
  expect(await page(`https://api.test:${secure.port}/five`)).toBe('origin saw /five\n')
  await agent.close()
})
