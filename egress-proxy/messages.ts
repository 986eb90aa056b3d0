/**
 * The control channel: JSON Lines on the proxy container's stdin (launcher → proxy) and stdout
 * (proxy → launcher). A line is at most `MAX_CONTROL_LINE` bytes; a longer or malformed one ends
 * the proxy (exit 78).
 */
import { z } from 'zod'

import { EgressDeny, EgressRule, GatewayRoute } from './policy.ts'

export const CONTROL_VERSION = 1
export const MAX_CONTROL_LINE = 1024 * 1024
/** The launcher beats this often, in milliseconds … */
export const HEARTBEAT_INTERVAL = 2_000
/** … and the proxy exits after this long without a beat, in milliseconds. */
export const HEARTBEAT_TIMEOUT = 10_000

/** The agent's user, so that `os.userInfo()`, git and ssh find a passwd entry. */
export const Identity = z.strictObject({
  uid: z.int().min(0),
  gid: z.int().min(0),
  name: z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/),
  home: z.string().startsWith('/'),
})

/** Bounds that differ from the defaults in `limits.ts`; times in milliseconds. */
export const Limits = z.strictObject({
  tunnels: z.int().min(1).optional(),
  requests: z.int().min(1).optional(),
  connections: z.int().min(1).optional(),
  header_timeout: z.int().min(1).optional(),
  body_timeout: z.int().min(1).optional(),
  connect_timeout: z.int().min(1).optional(),
  dns_timeout: z.int().min(1).optional(),
  peek_timeout: z.int().min(1).optional(),
  tunnel_idle: z.int().min(1).optional(),
  tunnel_bytes: z.int().min(1).optional(),
  response_timeout: z.int().min(1).optional(),
})

/** First message. Nothing listens before it arrived and was found valid. */
export const Configure = z.strictObject({
  type: z.literal('configure'),
  version: z.literal(CONTROL_VERSION),
  session: z.string().min(1).max(128),
  identity: Identity,
  rules: z.array(EgressRule),
  deny: z.array(EgressDeny),
  gateway: z.array(GatewayRoute),
  /** Resolvers as `address` or `address:port`; those of /etc/resolv.conf when absent. */
  dns_servers: z.array(z.string().max(64)).min(1).optional(),
  /** Further certificate authorities for the gateway's upstreams, PEM. */
  ca_certificates: z.string().optional(),
  limits: Limits.optional(),
})

export const FromLauncher = z.discriminatedUnion('type', [
  Configure,
  z.strictObject({ type: z.literal('heartbeat') }),
  /** Passed on to `init` as it is; also beats `init`'s heart. */
  z.strictObject({ type: z.literal('to-init'), message: z.record(z.string(), z.unknown()) }),
  /** The turn that later decisions belong to; empty between turns. */
  z.strictObject({ type: z.literal('turn'), turn: z.string().max(128) }),
])

/** One decision of the border, made before anything was sent outside. */
export const Decision = z.strictObject({
  type: z.literal('decision'),
  id: z.string(),
  /** `dns`: a name that a program inside asked for and that no rule has. */
  kind: z.enum(['connect', 'http', 'gateway', 'control', 'dns']),
  turn: z.string(),
  verdict: z.enum(['allow', 'deny']),
  /** `allowed`, or a reason code such as `host_not_allowed`. */
  reason: z.string(),
  rule: z.string().optional(),
  method: z.string().optional(),
  host: z.string().optional(),
  port: z.number().optional(),
  /** Without query. */
  path: z.string().optional(),
  /** `dns` only: how many refused names this record stands for, in place of one `host`. */
  count: z.int().optional(),
})

/** The end of an allowed flow. */
export const Close = z.strictObject({
  type: z.literal('close'),
  id: z.string(),
  /** In which the flow ended: another one than its decision's, when it outlived that. */
  turn: z.string(),
  reason: z.string(),
  status: z.number().optional(),
  /** Bytes from the agent, and to the agent. */
  bytes_up: z.number(),
  bytes_down: z.number(),
  duration_ms: z.number(),
  /** Token counts read off a provider's answer. */
  usage: z
    .strictObject({ input_tokens: z.number().optional(), output_tokens: z.number().optional() })
    .optional(),
})

export const FromProxy = z.discriminatedUnion('type', [
  /** The proxy process runs and waits for `configure`. */
  z.strictObject({ type: z.literal('hello'), version: z.number() }),
  /** The socket listens. */
  z.strictObject({ type: z.literal('ready') }),
  /** The configuration was refused; the proxy exits after it. */
  z.strictObject({ type: z.literal('refused'), error: z.string() }),
  Decision,
  Close,
  /** `init` opened or lost its control stream. */
  z.strictObject({ type: z.literal('init-connected') }),
  z.strictObject({ type: z.literal('init-closed') }),
  /** From inside the container: untrusted, parse again. */
  z.strictObject({ type: z.literal('from-init'), message: z.record(z.string(), z.unknown()) }),
])

export type Configure = z.infer<typeof Configure>
export type FromLauncher = z.infer<typeof FromLauncher>
export type FromProxy = z.infer<typeof FromProxy>
export type Decision = z.infer<typeof Decision>
export type Close = z.infer<typeof Close>
export type Identity = z.infer<typeof Identity>
export type Limits = z.infer<typeof Limits>
