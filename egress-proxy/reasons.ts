/** The one list of what the border answers: reason code → HTTP status → sentence. */

type Entry = { status: number; text: string }

const REASONS = {
  host_not_allowed: { status: 403, text: 'this host is not among the allowed destinations' },
  port_not_allowed: { status: 403, text: 'this host is allowed, but not on this port' },
  method_not_allowed: { status: 405, text: 'this method is not allowed here' },
  path_not_allowed: { status: 403, text: 'this path is not allowed here' },
  path_not_canonical: {
    status: 400,
    text: 'the path must be written without dot segments, //, \\ or encoded slashes',
  },
  malformed_host: { status: 400, text: 'the host is not written as a plain host name' },
  malformed_authority: { status: 400, text: 'the target is not written as host:port' },
  malformed_target: { status: 400, text: 'the request target is malformed' },
  userinfo_in_target: {
    status: 400,
    text: 'a user name or password in the target is not accepted',
  },
  duplicate_host: { status: 400, text: 'there is more than one Host field' },
  missing_host: { status: 400, text: 'the Host field is missing' },
  host_mismatch: { status: 400, text: 'the Host field does not name the target' },
  scheme_not_allowed: {
    status: 400,
    text: 'only http: requests to a rule of protocol http, or CONNECT, are possible',
  },
  not_absolute_form: { status: 400, text: 'a proxy request names its target in absolute form' },
  bad_framing: { status: 400, text: 'the message is not framed as HTTP/1.1 demands' },
  bad_expectation: { status: 417, text: 'only 100-continue can be expected' },
  bad_connection_header: {
    status: 400,
    text: 'the Connection field names a field it must not name',
  },
  connect_with_body: { status: 400, text: 'CONNECT has no body' },
  connect_inside_tunnel: { status: 405, text: 'CONNECT inside a tunnel is not possible' },
  ip_literal_not_allowed: {
    status: 403,
    text: 'IP addresses as targets are not allowed; use a host name',
  },
  resolved_private: { status: 403, text: 'the name leads to an address that is not public' },
  self_connection: { status: 403, text: 'the proxy does not connect to itself' },
  use_gateway: { status: 403, text: 'this model provider is reached through the gateway only' },
  dns_failed: { status: 502, text: 'the name could not be resolved' },
  dns_timeout: { status: 504, text: 'the name was not resolved in time' },
  sni_missing: { status: 403, text: 'the TLS greeting names no server' },
  sni_mismatch: { status: 403, text: 'the TLS greeting names another server' },
  sni_invalid: { status: 403, text: 'the TLS greeting is malformed' },
  ech_present: { status: 403, text: 'the TLS greeting hides the server name' },
  not_tls: { status: 403, text: 'the tunnel does not carry TLS' },
  tls_peek_timeout: { status: 408, text: 'no TLS greeting came in time' },
  tls_verify_failed: { status: 502, text: "the server's certificate could not be verified" },
  bad_upgrade: { status: 400, text: 'the WebSocket handshake is malformed' },
  header_too_large: { status: 431, text: 'the request header is larger than 16 KiB' },
  header_timeout: { status: 408, text: 'the request header did not come in time' },
  body_timeout: { status: 408, text: 'the request body did not come in time' },
  body_too_large: { status: 413, text: 'the request body is larger than the rule allows' },
  too_many_connections: { status: 503, text: 'too many requests or tunnels are open' },
  pipeline_limit: { status: 429, text: 'too many requests are waiting on one connection' },
  idle_timeout: { status: 408, text: 'nothing was sent for too long' },
  byte_limit: { status: 403, text: 'more was sent through the tunnel than the policy allows' },
  backpressure: {
    status: 503,
    text: 'the audit log is not being taken, so nothing new is let through',
  },
  client_abort: { status: 499, text: 'the client left' },
  upstream_connect_failed: { status: 502, text: 'the server could not be reached' },
  upstream_protocol_error: { status: 502, text: 'the server answered with malformed HTTP' },
  upstream_truncated: { status: 502, text: "the server's answer was cut off" },
  upstream_timeout: { status: 504, text: 'the server did not answer in time' },
  unsolicited_101: { status: 502, text: 'the server changed the protocol unasked' },
  unsupported_protocol: { status: 400, text: 'this is not HTTP/1.1' },
  route_unknown: { status: 404, text: 'the gateway has no such route' },
  control_refused: { status: 403, text: 'the control stream is already taken' },
} as const satisfies Record<string, Entry>

export type Reason = keyof typeof REASONS

/** The HTTP status of a refusal. */
export function statusOf(reason: Reason): number {
  return REASONS[reason].status
}

/** Reasons that a change of the user's rules would lift. */
const LIFTED_BY_A_RULE: ReadonlySet<Reason> = new Set([
  'host_not_allowed',
  'port_not_allowed',
  'method_not_allowed',
  'path_not_allowed',
])

/**
 * One or two sentences for the client. `where` is what the client itself asked for; a resolved
 * address is never part of it.
 */
export function sentenceFor(reason: Reason, where: string): string {
  const what = `Glovebox: ${where === '' ? '' : `${where}: `}${REASONS[reason].text} (${reason}).`
  if (reason === 'resolved_private') {
    return `${what} A rule of the Glovebox configuration can allow a private range (allow_private).`
  }
  if (!LIFTED_BY_A_RULE.has(reason)) return what
  return `${what} To allow it, add a rule under egress.rules of the Glovebox configuration.`
}

/** A refusal or failure of the border, with its code. `message` is never shown to the agent. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: Reason
  readonly status: number
  constructor(reason: Reason, options?: ErrorOptions & { status?: number }) {
    super(reason, options)
    this.reason = reason
    this.status = options?.status ?? statusOf(reason)
  }
}
