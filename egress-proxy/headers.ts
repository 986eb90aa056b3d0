/** Header fields: what may not be there, and what is passed on in which direction. Pure. */
import type { Reason } from './reasons.ts'

/** Names and values alternating, as node:http and undici give and take them. */
export type FlatHeaders = readonly string[]

export type Field = readonly [name: string, value: string]

export function fieldsOf(flat: FlatHeaders): Field[] {
  const fields: Field[] = []
  for (let at = 0; at + 1 < flat.length; at += 2) fields.push([flat[at] ?? '', flat[at + 1] ?? ''])
  return fields
}

/** One name for every spelling that some server takes for the same field. */
function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[_.]/g, '-')
}

export function valuesOf(flat: FlatHeaders, name: string): string[] {
  return fieldsOf(flat).flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []))
}

/** The comma-separated members of a field, lower case. */
function listOf(flat: FlatHeaders, name: string): string[] {
  return valuesOf(flat, name)
    .flatMap((value) => value.split(','))
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '')
}

const FRAMING = new Set(['host', 'content-length', 'transfer-encoding'])

/** Trailer fields that would change the meaning of the message they follow (RFC 9110, 6.5.1). */
const FORBIDDEN_TRAILERS = new Set([
  ...FRAMING,
  'authorization',
  'content-encoding',
  'content-type',
  'te',
])

/** What llhttp lets pass and a border must not: undefined when the header is sound. */
export function faultInRequest(version: string, flat: FlatHeaders): Reason | undefined {
  // Node's parser takes HTTP/0.9 and HTTP/2.0 request lines too.
  if (version !== '1.1' && version !== '1.0') return 'unsupported_protocol'
  const codings = listOf(flat, 'transfer-encoding')
  if (codings.length > 0 && (version !== '1.1' || codings.join() !== 'chunked'))
    return 'bad_framing'
  const lengths = valuesOf(flat, 'content-length')
  if (lengths.length > 1 || (lengths.length === 1 && codings.length > 0)) return 'bad_framing'
  if (listOf(flat, 'connection').some((name) => FRAMING.has(foldName(name)))) {
    return 'bad_connection_header'
  }
  const trailers = listOf(flat, 'trailer').map(foldName)
  return trailers.some((name) => FORBIDDEN_TRAILERS.has(name)) ? 'bad_framing' : undefined
}

/** Fields of one connection, never passed on (RFC 9110, 7.6.1); by folded name. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** Fields that tell where a request came from, or that steer other proxies. */
const PROXY_TRACES = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'x-unix-socket',
])

const METHOD_OVERRIDES = new Set(['x-http-method', 'x-http-method-override', 'x-method-override'])

/** Whether the message has a body, by its header. */
export function hasBody(flat: FlatHeaders): boolean {
  const length = valuesOf(flat, 'content-length')[0]
  return listOf(flat, 'transfer-encoding').length > 0 || (length !== undefined && length !== '0')
}

/** The request fields for an upstream, without Host, which its client builds from the target. */
export function forwardHeaders(flat: FlatHeaders, options: { fixedMethods: boolean }): string[] {
  const nominated = new Set(listOf(flat, 'connection').map(foldName))
  return keep(flat, (name, folded) => {
    if (folded === 'host' || folded === 'expect' || nominated.has(folded)) return false
    if (HOP_BY_HOP.has(folded) || PROXY_TRACES.has(folded)) return false
    if (/^(?:proxy|x-forwarded|x-upstream)-/.test(folded)) return false
    if (options.fixedMethods && METHOD_OVERRIDES.has(folded)) return false
    return folded !== 'content-length' || name === 'content-length'
  })
}

/** The response fields for the agent, without our own verdict field. */
export function responseHeaders(flat: FlatHeaders): string[] {
  const nominated = new Set(listOf(flat, 'connection').map(foldName))
  return keep(flat, (_name, folded) => {
    if (folded === 'x-egress-reason' || nominated.has(folded)) return false
    return !HOP_BY_HOP.has(folded)
  })
}

/** Whether a response is framed in a way that two readers may cut differently. */
export function isResponseAmbiguous(flat: FlatHeaders): boolean {
  const codings = listOf(flat, 'transfer-encoding')
  const lengths = valuesOf(flat, 'content-length')
  if (codings.length > 0 && (codings.join() !== 'chunked' || lengths.length > 0)) return true
  return lengths.length > 1
}

function keep(flat: FlatHeaders, wanted: (name: string, folded: string) => boolean): string[] {
  return fieldsOf(flat).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    return wanted(lower, foldName(lower)) ? [name, value] : []
  })
}

/** The fields a model provider needs; everything else stays behind. By folded name or prefix. */
const PROVIDER_FIELDS = new Set([
  'accept',
  'accept-language',
  'content-type',
  'content-encoding',
  'user-agent',
  'idempotency-key',
  'x-app',
  'x-request-id',
  'x-client-request-id',
  'x-goog-api-client',
])
const PROVIDER_PREFIX = /^(?:anthropic|openai|x-stainless|x-claude-code)-/

/**
 * The request fields for a gateway's upstream: an allowlist, so that no credential of the client
 * passes under any name, then the route's own. Without `accept-encoding`: the answer is metered
 * and never unpacked.
 */
export function gatewayHeaders(
  flat: FlatHeaders,
  credential: { header: string; value: string } | undefined,
): string[] {
  const kept = keep(flat, (name, folded) => {
    if (name === 'content-length') return true
    return name === folded && (PROVIDER_FIELDS.has(name) || PROVIDER_PREFIX.test(name))
  })
  kept.push('accept-encoding', 'identity')
  if (credential !== undefined) kept.push(credential.header, credentialValue(credential))
  return kept
}

function credentialValue({ header, value }: { header: string; value: string }): string {
  return header === 'authorization' && !value.includes(' ') ? `Bearer ${value}` : value
}
