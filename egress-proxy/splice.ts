/** What passes through an open tunnel: bytes, both ways, within bounds. */
import type { Socket } from 'node:net'

import type { Ending } from './audit.ts'
import type { Border } from './border.ts'
import type { EgressRule } from './policy.ts'

export type TunnelBounds = {
  /** Longest silence, in milliseconds. */
  idle: number
  /** Most bytes, both ways together; unlimited when undefined. */
  bytes: number | undefined
}

/** The tighter of the rule's and the session's bounds. */
export function boundsOf({ limits }: Pick<Border, 'limits'>, rule: EgressRule): TunnelBounds {
  const all = [rule.max_tunnel_bytes, limits.tunnel_bytes].filter((bytes) => bytes !== undefined)
  return { idle: limits.tunnel_idle, bytes: all.length === 0 ? undefined : Math.min(...all) }
}

/** Longest silence of a tunnel that one side has closed, in milliseconds. */
const HALF_CLOSED_IDLE = 60_000

/**
 * Bytes both ways with backpressure and half-close, until both sides ended, were silent too long, or
 * sent more than they may.
 */
export function splice(client: Socket, upstream: Socket, bounds: TunnelBounds): Promise<Ending> {
  const { idle, bytes } = bounds
  return new Promise((resolve) => {
    let reason: Ending['reason'] = 'closed'
    let open = 2
    const leave = (gone: Socket, other: Socket) => {
      if (gone.readableEnded) other.destroySoon()
      else other.destroy()
      open -= 1
      if (open > 0) return
      resolve({ reason, status: 200, up: upstream.bytesWritten, down: upstream.bytesRead })
    }
    if (client.destroyed || upstream.destroyed) {
      client.destroy()
      upstream.destroy()
      resolve({ reason: 'upstream_truncated', status: 200 })
      return
    }
    const cut = (why: Ending['reason'], other: Socket) => {
      if (reason === 'closed') reason = why
      // Without the orderly end that a pipe would pass on.
      other.destroy()
    }
    client.once('error', () => cut('client_abort', upstream))
    upstream.once('error', () => cut('upstream_truncated', client))
    client.setTimeout(idle, () => {
      cut('idle_timeout', upstream)
      client.destroy()
    })
    // A client that is gone looks like one that only stopped sending: it gets less patience.
    const hurry = () => client.setTimeout(Math.min(idle, HALF_CLOSED_IDLE))
    client.once('end', hurry)
    upstream.once('end', hurry)
    client.once('close', () => leave(client, upstream))
    upstream.once('close', () => leave(upstream, client))
    if (bytes !== undefined) {
      meter(client, upstream, bytes, () => {
        cut('byte_limit', upstream)
        client.destroy()
      })
    }
    client.pipe(upstream)
    upstream.pipe(client)
  })
}

/** Calls back once when more than `most` bytes have passed, those before included. */
function meter(client: Socket, upstream: Socket, most: number, onExcess: () => void): void {
  let count = upstream.bytesWritten + upstream.bytesRead
  const onData = (chunk: Buffer) => {
    count += chunk.length
    look()
  }
  const look = () => {
    if (count <= most) return
    client.off('data', onData)
    upstream.off('data', onData)
    onExcess()
  }
  client.on('data', onData)
  upstream.on('data', onData)
  look()
}
