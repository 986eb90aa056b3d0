/**
 * What a session's proxy is allowed to do. Written by the launcher, read by the proxy; the only
 * shapes the two programs share besides the control messages.
 */
import { z } from 'zod'

import { isNumber } from './authority.ts'
import { isPublicSuffix } from './public-suffix.ts'

// Messages are few, so nothing is gained by compiling a validator for each shape.
z.config({ jitless: true })

/** `example.com` (exact) or `*.example.com` (any subdomain, not the apex); lower-case ASCII. */
export const HostPattern = z
  .string()
  .max(255)
  .regex(
    /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/,
    'a host name in lower case, or *.suffix',
  )
  .refine((host) => !isNumber(host.split('.').at(-1) ?? ''), 'a host name, not an address')
  .refine(
    (host) => !(host.startsWith('*.') && isPublicSuffix(host.slice(2))),
    'a narrower name: anyone can register under this suffix',
  )

/** An address range, such as `10.20.0.0/16` or `fd00::/8`. */
export const Cidr = z.union([z.cidrv4(), z.cidrv6()])

const Port = z.int().min(1).max(65_535)

const Method = z.string().regex(/^[A-Z][A-Z-]{0,31}$/, 'a method in upper case')

/** One destination the agent may reach through the forward proxy. */
export const EgressRule = z.strictObject({
  id: z.string().min(1).max(128),
  host: HostPattern,
  ports: z.array(Port).min(1),
  /** `tls`: CONNECT only. `http`: absolute-form requests, or CONNECT carrying plain HTTP. `tcp`: CONNECT, unexamined. */
  protocol: z.enum(['tls', 'http', 'tcp']),
  /** Non-public ranges this rule's answers may lie in; none by default. */
  allow_private: z.array(Cidr).optional(),
  /** `http` only: the methods allowed; all but TRACE when absent. */
  methods: z.array(Method).min(1).optional(),
  /** `http` only: the paths allowed, with `*` within a segment and `**` for anything; all when absent. */
  paths: z.array(z.string().startsWith('/').max(1024)).min(1).optional(),
  /** `http` only: accept `%2f` in paths (npm writes `@scope%2fname`); refused by default. */
  encoded_slash: z.boolean().optional(),
  /** `http` only: the largest request body, in bytes; unlimited when absent. */
  max_request_bytes: z.int().min(0).optional(),
  /** The most bytes of one tunnel or WebSocket, both ways together; unlimited when absent. */
  max_tunnel_bytes: z.int().min(1).optional(),
  /** `tls` only: `optional` lets a greeting without server name pass; `required` by default. */
  sni: z.enum(['required', 'optional']).optional(),
  /** `tls` only: `allow` lets a greeting with a hidden server name pass; `deny` by default. */
  ech: z.enum(['deny', 'allow']).optional(),
})

export const EgressDeny = z.strictObject({
  host: HostPattern,
  /** All ports when absent. */
  ports: z.array(Port).min(1).optional(),
})

export const GatewayPreset = z.enum(['anthropic', 'openai', 'gemini'])

/** The header in which a provider takes its key. */
export const CredentialHeader = z.enum(['x-api-key', 'authorization', 'x-goog-api-key'])

/** One model provider behind the gateway: `/<id>/…` goes to `<origin>/…`, nowhere else. */
export const GatewayRoute = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  preset: GatewayPreset,
  /** `https://api.anthropic.com`, optionally with a base path; no query, no user info. */
  origin: z.url({ protocol: /^https?$/ }),
  /** The header set on every upstream request; absent for a local model that wants no key. */
  credential: z.strictObject({ header: CredentialHeader, value: z.string().min(1) }).optional(),
  allow_private: z.array(Cidr).optional(),
  /** Needed to send a credential to an `http:` origin. */
  insecure_http: z.boolean().optional(),
})

export type EgressRule = z.infer<typeof EgressRule>
export type EgressDeny = z.infer<typeof EgressDeny>
export type GatewayRoute = z.infer<typeof GatewayRoute>
export type GatewayPreset = z.infer<typeof GatewayPreset>
