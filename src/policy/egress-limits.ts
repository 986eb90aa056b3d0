/** The bounds of a session's proxy, as the policy names them and as the proxy is told. Pure. */
import type { Configure } from '../../egress-proxy/messages.ts'

export type EgressLimits = {
  connections: number
  tunnels: number
  requests: number
  tunnel_idle_s: number
  /** Unlimited when undefined. */
  tunnel_bytes?: number | undefined
}

type Asked = { [K in keyof EgressLimits]?: number | undefined }

/** What is asked for, and the defaults for the rest. */
export function egressLimits(defaults: EgressLimits, asked: Asked = {}): EgressLimits {
  return choose((name) => asked[name] ?? defaults[name])
}

/** The smaller of both. */
export function narrowEgressLimits(limits: EgressLimits, asked: Asked = {}): EgressLimits {
  return choose((name) => {
    const least = Math.min(limits[name] ?? Infinity, asked[name] ?? Infinity)
    return least === Infinity ? undefined : least
  })
}

function choose(of: (name: keyof EgressLimits) => number | undefined): EgressLimits {
  const bytes = of('tunnel_bytes')
  return {
    connections: of('connections') ?? 1,
    tunnels: of('tunnels') ?? 1,
    requests: of('requests') ?? 1,
    tunnel_idle_s: of('tunnel_idle_s') ?? 1,
    ...(bytes === undefined ? {} : { tunnel_bytes: bytes }),
  }
}

export function proxyLimits(limits: EgressLimits): NonNullable<Configure['limits']> {
  const { tunnel_idle_s: seconds, ...rest } = limits
  return { ...rest, tunnel_idle: seconds * 1_000 }
}
