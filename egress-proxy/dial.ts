/** Resolve once, check every answer, dial only what was checked. */
import { type Socket, connect, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

import { classOf, embeddedV4, inRanges } from './address.ts'
import { Refusal } from './reasons.ts'
import type { Resolve } from './resolver.ts'

export type Destination = {
  /** Canonical name, or an address that the configuration names. */
  host: string
  port: number
  /** Non-public ranges the answers may lie in. */
  allowPrivate: readonly string[]
}

/**
 * Connects to a destination. Throws a Refusal: `dns_failed`, `dns_timeout`, `resolved_private`,
 * `self_connection`, `upstream_connect_failed`. The socket allows half-open use and has no delay.
 */
export type Dial = (destination: Destination, signal?: AbortSignal) => Promise<Socket>

export function createDial(resolve: Resolve, connectTimeout: number): Dial {
  return async (destination, signal) => {
    const { host } = destination
    const answers = isIP(host) === 0 ? await resolve(host) : [host]
    const addresses = vet(answers, destination.allowPrivate, ownAddresses())
    if (signal?.aborted === true) throw new Refusal('client_abort')
    return connectTo(addresses, destination, connectTimeout, signal)
  }
}

/**
 * Returns the answers when every one of them may be dialled; one bad answer refuses all, since a
 * mixed answer is how a name is turned against its proxy. Pure.
 */
export function vet(
  answers: readonly string[],
  allowPrivate: readonly string[],
  own: ReadonlySet<string>,
): string[] {
  if (answers.length === 0) throw new Refusal('dns_failed')
  for (const address of answers) {
    if (own.has(embeddedV4(address) ?? address)) throw new Refusal('self_connection')
    const kind = classOf(address)
    if (kind === 'public') continue
    if (kind === 'metadata' || !inRanges(address, allowPrivate))
      throw new Refusal('resolved_private')
  }
  return [...answers]
}

/** How long the list of own addresses is taken for true, in ms: reading it was a quarter of a dial. */
const OWN_ADDRESSES_AGE = 2_000

let own = { read: -Infinity, addresses: new Set<string>() }

/** This machine's own addresses, loopback aside: nothing of the proxy listens on any of them. */
function ownAddresses(): Set<string> {
  const now = performance.now()
  if (now - own.read < OWN_ADDRESSES_AGE) return own.addresses
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const addresses = all.filter(({ internal }) => !internal).map(({ address }) => address)
  own = { read: now, addresses: new Set(addresses) }
  return own.addresses
}

function connectTo(
  addresses: readonly string[],
  { host, port }: Destination,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const checked = addresses.map((address) => ({ address, family: isIP(address) }))
  return new Promise((resolve, reject) => {
    const socket = connect({
      // Never looked up again: whatever the host, these addresses are the answer.
      lookup: (_host, options, callback) => {
        if (options.all === true) callback(null, checked)
        else callback(null, checked[0]?.address ?? '', checked[0]?.family)
      },
      // One address needs no choice between families.
      host: addresses.length > 1 ? host : (addresses[0] ?? ''),
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      keepAlive: true,
      noDelay: true,
    })
    const fail = (refusal: Refusal) => {
      socket.destroy()
      settle()
      reject(refusal)
    }
    const onAbort = () => fail(new Refusal('client_abort'))
    const onError = (cause: Error) => fail(new Refusal('upstream_connect_failed', { cause }))
    const timer = setTimeout(
      () => fail(new Refusal('upstream_connect_failed', { status: 504 })),
      timeout,
    )
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      socket.off('error', onError)
      socket.on('error', () => undefined)
    }
    signal?.addEventListener('abort', onAbort)
    socket.on('error', onError)
    socket.once('connect', () => {
      settle()
      resolve(socket)
    })
  })
}
