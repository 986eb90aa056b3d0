/**
 * The lab: a resolver that answers loopback addresses only, an origin on 127.0.0.2 that allowed
 * names lead to, and listeners wherever nothing may ever arrive: the evil origin on 127.0.0.3, a
 * private one on 127.0.0.1, and the ports no rule names.
 */
import { type Socket, connect } from 'node:net'

import type { EgressRule, GatewayRoute } from '../../egress-proxy/policy.ts'
import { type TestAuthority, createAuthority } from '../support/egress/certificates.ts'
import { startTcp } from '../support/egress/origin.ts'
import { type ProxyProcess, startProxy } from '../support/egress/proxy-process.ts'
import { type StubDns, startDns } from '../support/egress/stub-dns.ts'
import { type PublicOrigin, startPublicOrigin } from './public-origin.ts'
import { createZone } from './zone.ts'

const PUBLIC = '127.0.0.2'
const EVIL = '127.0.0.3'
/** Allowed by the rules, with nothing listening there. */
const DOWN = '127.0.0.4'
export const KEY = 'sk-corpus-real-key'

export type Lab = AsyncDisposable & {
  /** A connection to the proxy under test. */
  connect: () => Socket
  /** Only for our own proxy: its process, with its audit messages. */
  proxy: ProxyProcess | undefined
  origin: PublicOrigin
  dns: StubDns
  authority: TestAuthority
  /** Connections that reached a place nothing may reach, and forgets them. */
  takeTrespasses: () => string[]
}

const PRIVATE = ['127.0.0.2/32', `${DOWN}/32`, 'fd00:dead::/32']

function rule(id: string, host: string, port: number, more: Partial<EgressRule> = {}): EgressRule {
  const protocol = port === 443 ? 'tls' : 'http'
  return { id, host, ports: [port], protocol, allow_private: PRIVATE, ...more }
}

export const RULES: EgressRule[] = [
  rule('plain', 'plain.allowed.test', 80),
  rule('path', 'path.allowed.test', 80, { paths: ['/v1/**'] }),
  rule('small', 'small.allowed.test', 80, { max_request_bytes: 1_000 }),
  rule('api', 'api.allowed.test', 443),
  rule('wild-http', '*.wild.test', 80),
  rule('wild-tls', '*.wild.test', 443),
]

function routes(port: number): GatewayRoute[] {
  const origin = `https://model.allowed.test:${port}`
  const credential = { header: 'x-api-key', value: KEY } as const
  return [
    { id: 'anthropic', preset: 'anthropic', origin, credential, allow_private: PRIVATE },
    {
      id: 'openai',
      preset: 'openai',
      origin,
      credential: { header: 'authorization', value: KEY },
      allow_private: PRIVATE,
    },
    {
      id: 'badcert',
      preset: 'openai',
      origin: `https://wrong.allowed.test:${port}`,
      allow_private: PRIVATE,
    },
  ]
}

/** Short times, so that a run takes seconds. */
const LIMITS = {
  dns_timeout: 800,
  header_timeout: 1_200,
  body_timeout: 700,
  peek_timeout: 700,
  tunnel_idle: 1_500,
}

/**
 * Starts the lab and, unless another proxy's address is given, our own proxy in it. Needs to listen
 * on ports 80 and 443 of loopback addresses; throws the system's error when it may not.
 */
export async function startLab(other?: { host: string; port: number }): Promise<Lab> {
  const authority = createAuthority()
  const dns = await startDns(createZone())
  const origin = await startPublicOrigin(PUBLIC, authority)
  const trespasses: string[] = []
  const forbidden = [
    ...[80, 443].map((port) => [EVIL, port] as const),
    ...[80, 443].map((port) => ['127.0.0.1', port] as const),
    ...[22, 8081].map((port) => [PUBLIC, port] as const),
  ]
  const traps = await Promise.all(
    forbidden.map(([host, port]) =>
      startTcp(
        (socket) => {
          trespasses.push(`${host}:${port}`)
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nevil\n')
        },
        { host, port },
      ),
    ),
  )
  const proxy =
    other === undefined
      ? await startProxy({
          rules: RULES,
          gateway: routes(origin.modelPort),
          dns_servers: [dns.server],
          ca_certificates: authority.ca,
          limits: LIMITS,
        })
      : undefined
  return {
    connect: () =>
      other === undefined ? ownConnection(proxy) : connect({ ...other, allowHalfOpen: true }),
    proxy,
    origin,
    dns,
    authority,
    takeTrespasses: () => trespasses.splice(0),
    async [Symbol.asyncDispose]() {
      await proxy?.[Symbol.asyncDispose]()
      for (const part of [origin, dns, ...traps]) await part[Symbol.asyncDispose]()
      authority[Symbol.dispose]()
    },
  }
}

function ownConnection(proxy: ProxyProcess | undefined): Socket {
  if (proxy === undefined) throw new Error('the proxy is not running')
  return proxy.connect()
}
