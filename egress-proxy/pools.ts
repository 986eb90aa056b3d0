/** Connections to upstreams, kept per rule and origin, every new one dialled through the border. */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { callbackify } from 'node:util'

import type { Dispatcher, Pool } from 'undici'

import type { Destination, Dial } from './dial.ts'
import { tls } from './node-modules.ts'
import { Refusal } from './reasons.ts'
import { trustStore } from './trust.ts'

export type Origin = Destination & {
  /** Who owns the connections: no socket is shared between two rules or routes. */
  owner: string
  tls: boolean
}

export type Pools = {
  /** Loads undici and, for TLS routes, the certificates, so that no request waits for them. */
  warm: () => void
  get: (origin: Origin) => Promise<Dispatcher>
  /** A pool of its own for one tunnel, beginning with a socket that is already connected. */
  over: (origin: Origin, first: Socket) => Promise<Dispatcher>
}

export type PoolOptions = {
  dial: Dial
  connectTimeout: number
  responseTimeout: number
  /** PEM, beside the built-in, system and NODE_EXTRA_CA_CERTS authorities. */
  certificates: string | undefined
  /** Whether some route leads to a TLS upstream. */
  tlsExpected: boolean
}

const MAX_POOLS = 64

/** The pools of one proxy. undici is loaded with the first of them. */
export function createPools(options: PoolOptions): Pools {
  const pools = new Map<string, Pool>()
  const make = async (origin: Origin, connector: Connector, connections: number): Promise<Pool> => {
    const { default: PoolClass } = await load()
    return new PoolClass(urlOf(origin), {
      connect: connector,
      connections,
      pipelining: 1,
      allowH2: false,
      headersTimeout: options.responseTimeout,
      bodyTimeout: options.responseTimeout,
      maxHeaderSize: 32_768,
    })
  }
  return {
    warm() {
      void load()
      if (options.tlsExpected) trustStore(options.certificates)
    },
    async get(origin) {
      const key = `${origin.owner} ${urlOf(origin)}`
      const known = pools.get(key)
      if (known !== undefined) return known
      const pool = await make(origin, connectorFor(origin, options), 256)
      const raced = pools.get(key)
      if (raced !== undefined) return raced
      pools.set(key, pool)
      evict(pools)
      return pool
    },
    over(origin, first) {
      const redial = connectorFor(origin, options)
      let unused: Socket | undefined = first
      return make(
        origin,
        (asked, callback) => {
          const socket = unused
          unused = undefined
          if (socket === undefined || socket.destroyed) redial(asked, callback)
          // undici does not go on when it is called back before its connector returned.
          else process.nextTick(callback, null, socket)
        },
        1,
      )
    },
  }
}

function load() {
  return import('undici/lib/dispatcher/pool.js')
}

function evict(pools: Map<string, Pool>): void {
  const [oldest] = pools
  if (pools.size <= MAX_POOLS || oldest === undefined) return
  pools.delete(oldest[0])
  oldest[1].close().catch(() => undefined)
}

function urlOf({ tls: secured, host, port }: Origin): string {
  return `${secured ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

type Callback = (
  ...args: [error: null, socket: Socket | TLSSocket] | [error: Error, socket: null]
) => void
type Connector = (asked: unknown, callback: Callback) => void

function connectorFor(origin: Origin, options: PoolOptions): Connector {
  const dialled = callbackify(async () => {
    const socket = await options.dial(origin)
    return origin.tls ? secure(socket, origin.host, options) : socket
  })
  return (_asked, callback) =>
    dialled((error, socket) => {
      if (error === null) callback(null, socket)
      else callback(error, null)
    })
}

/** TLS over a connected socket, always verified against the host's name. Throws a Refusal. */
function secure(socket: Socket, host: string, options: PoolOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = tls().connect({
      socket,
      servername: host,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...trustStore(options.certificates),
    })
    const fail = (refusal: Refusal) => {
      clearTimeout(timer)
      secured.destroy()
      socket.destroy()
      reject(refusal)
    }
    const timer = setTimeout(
      () => fail(new Refusal('upstream_connect_failed', { status: 504 })),
      options.connectTimeout,
    )
    const onError = (cause: NodeJS.ErrnoException) => fail(tlsFault(cause))
    secured.on('error', onError)
    secured.once('secureConnect', () => {
      clearTimeout(timer)
      secured.off('error', onError)
      secured.on('error', () => undefined)
      resolve(secured)
    })
  })
}

/** OpenSSL's verification errors, as Node names them. */
const UNTRUSTED =
  /^(?:ERR_TLS_CERT|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|INVALID_CA|HOSTNAME_)/

function tlsFault(cause: NodeJS.ErrnoException): Refusal {
  const untrusted = UNTRUSTED.test(cause.code ?? '')
  return new Refusal(untrusted ? 'tls_verify_failed' : 'upstream_connect_failed', { cause })
}
