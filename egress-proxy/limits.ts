import type { Limits as Asked } from './messages.ts'

/** Every bound of the border; times in milliseconds, sizes in bytes. */
export type Limits = Record<Exclude<keyof Asked, 'tunnel_bytes'>, number> & {
  /** Unlimited when undefined. */
  tunnel_bytes?: number
  header_bytes: number
  headers: number
  pipelined: number
  peek_bytes: number
}

const DEFAULTS: Limits = {
  tunnels: 256,
  requests: 256,
  connections: 1_024,
  header_bytes: 16_384,
  headers: 256,
  header_timeout: 10_000,
  body_timeout: 60_000,
  connect_timeout: 10_000,
  dns_timeout: 5_000,
  peek_bytes: 16_384,
  peek_timeout: 5_000,
  /** TLS tunnels with server-sent events are rightly idle for minutes. */
  tunnel_idle: 15 * 60_000,
  /** A model may think for minutes before its first byte. */
  response_timeout: 10 * 60_000,
  /** Requests waiting on one connection. */
  pipelined: 32,
}

export function limitsFrom(asked: Asked | undefined): Limits {
  const set = Object.entries(asked ?? {}).filter(([, value]) => value !== undefined)
  return { ...DEFAULTS, ...Object.fromEntries(set) }
}
