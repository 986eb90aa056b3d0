/**
 * Host and authority parsing. One canonical form comes out, and that form alone is used for
 * matching, DNS, SNI, Host and the log. Pure.
 */
import { isIPv6 } from 'node:net'

import type { Reason } from './reasons.ts'

export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: Reason }

export type Host = {
  kind: 'name' | 'ip'
  /** Lower case, without the root dot; an address in its usual notation. */
  text: string
  /**
   * False when the text was spelled so (percent escapes) that parsers may disagree on it: enough
   * to say what it is denied for, never enough to be allowed.
   */
  plain: boolean
}

export type Authority = { host: Host; port: number }

const MALFORMED = { ok: false, reason: 'malformed_host' } as const
const MAX_LABEL = 63
const MAX_NAME = 253

/**
 * Reads a host as written in a request target. The character check comes first: `new URL` would
 * silently delete TAB, CR and LF and decode `%2e`.
 */
export function parseHost(written: string): Parsed<Host> {
  if (written.startsWith('[')) return parseBracketed(written)
  if (/^[a-z0-9._-]+$/i.test(written)) return parseLabels(written.toLowerCase(), true)
  if (!/^(?:[a-z0-9._-]|%[0-9a-f]{2})+$/i.test(written)) return MALFORMED
  const decoded = written.replaceAll(/%(..)/g, (_match, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  )
  if (!/^[a-z0-9._-]+$/i.test(decoded)) return MALFORMED
  return parseLabels(decoded.toLowerCase(), false)
}

function parseBracketed(written: string): Parsed<Host> {
  const inner = /^\[([0-9a-f:.]+)\]$/i.exec(written)?.[1]
  if (inner === undefined || !isIPv6(inner)) return MALFORMED
  return { ok: true, value: { kind: 'ip', text: inner.toLowerCase(), plain: true } }
}

function parseLabels(lower: string, plain: boolean): Parsed<Host> {
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower
  const labels = name.split('.')
  const last = labels.at(-1) ?? ''
  if (isNumber(last)) {
    const address = readInetAton(labels)
    if (address === undefined) return MALFORMED
    return { ok: true, value: { kind: 'ip', text: address, plain } }
  }
  if (name.length > MAX_NAME || !labels.every(isLabel)) return MALFORMED
  return { ok: true, value: { kind: 'name', text: name, plain } }
}

function isLabel(label: string): boolean {
  return (
    label.length > 0 && label.length <= MAX_LABEL && !label.startsWith('-') && !label.endsWith('-')
  )
}

/** Whether a label is a number to `inet_aton`, which then reads the whole host as an address. */
export function isNumber(label: string): boolean {
  return /^(?:0x[0-9a-f]*|[0-9]+)$/.test(label)
}

/** The address that `inet_aton` and WHATWG see in `127.1`, `0x7f.1`, `0177.0.0.1` or `2130706433`. */
function readInetAton(labels: string[]): string | undefined {
  if (labels.length > 4) return undefined
  const parts = labels.map(readPart)
  const last = parts.pop()
  if (last === undefined || !(last < 256 ** (4 - parts.length))) return undefined
  if (!parts.every((part) => part < 256)) return undefined
  const value = parts.reduce((sum, part, at) => sum + part * 256 ** (3 - at), last)
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

function readPart(label: string): number {
  if (!isNumber(label)) return Number.NaN
  if (label.startsWith('0x')) return label === '0x' ? 0 : Number(label)
  if (label.length > 1 && label.startsWith('0')) {
    return /^[0-7]+$/.test(label) ? Number.parseInt(label, 8) : Number.NaN
  }
  return Number(label)
}

/** A port as a real client writes it: no sign, no leading zero, 1 to 65535. */
function parsePort(written: string): number | undefined {
  if (!/^[1-9][0-9]{0,4}$/.test(written)) return undefined
  const port = Number(written)
  return port <= 65_535 ? port : undefined
}

/** Reads the target of a CONNECT: exactly `host:port`, nothing else (RFC 9112, 3.2.3). */
export function parseAuthority(written: string): Parsed<Authority> {
  const colon = written.lastIndexOf(':')
  const port = colon === -1 ? undefined : parsePort(written.slice(colon + 1))
  const host = written.slice(0, colon)
  if (port === undefined || /[@/?#\\\s]/.test(host) || host === '') {
    return { ok: false, reason: 'malformed_authority' }
  }
  if (!host.startsWith('[') && host.includes(':')) {
    return { ok: false, reason: 'malformed_authority' }
  }
  const parsed = parseHost(host)
  return parsed.ok ? { ok: true, value: { host: parsed.value, port } } : parsed
}

/** Splits `host[:port]` of an absolute-form target or a Host field; the port falls back to the scheme's. */
export function parseHostPort(written: string, fallback: number): Parsed<Authority> {
  const [, host = '', colonPort] = /^(\[[^\]]*\]|[^:]*)(:.*)?$/s.exec(written) ?? []
  const parsed = parseHost(host)
  if (!parsed.ok) return parsed
  const port = colonPort === undefined ? fallback : parsePort(colonPort.slice(1))
  if (port === undefined) return { ok: false, reason: 'malformed_authority' }
  return { ok: true, value: { host: parsed.value, port } }
}

/** `host:port` for messages and origins, with brackets where they belong. */
export function formatAuthority({ host, port }: Authority): string {
  return `${formatHost(host.text)}:${port}`
}

export function formatHost(text: string): string {
  return text.includes(':') ? `[${text}]` : text
}
