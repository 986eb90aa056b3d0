import type { SecureContext } from 'node:tls'

import { tls } from './node-modules.ts'

let contexts: Map<string, SecureContext> | undefined

/**
 * The authorities that upstream certificates are verified against: Node's own, the system's,
 * those of NODE_EXTRA_CA_CERTS, and the PEM given. Built at the first TLS connection.
 */
export function trustStore(extra: string | undefined): { secureContext: SecureContext } {
  contexts ??= new Map()
  const known = contexts.get(extra ?? '')
  if (known !== undefined) return { secureContext: known }
  const kinds = ['default', 'system', 'extra'] as const
  const ca = new Set(kinds.flatMap((kind) => tls().getCACertificates(kind)))
  if (extra !== undefined) ca.add(extra)
  const secureContext = tls().createSecureContext({ ca: [...ca], minVersion: 'TLSv1.2' })
  contexts.set(extra ?? '', secureContext)
  return { secureContext }
}
