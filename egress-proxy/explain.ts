/** The border's decision about one destination, in words, for a person who asks beforehand. Pure. */
import { type Authority, formatAuthority, parseAuthority, parseHostPort } from './authority.ts'
import { type Ask, decide, policyFrom } from './decide.ts'
import type { EgressDeny, EgressRule, GatewayRoute } from './policy.ts'
import { type Reason, sentenceFor } from './reasons.ts'
import { splitPath } from './target.ts'

export type Question = {
  /** `host`, `host:port` or `[v6]:port`, as a person writes it. */
  destination: string
  /** Both for a plain HTTP request; neither for a connection. */
  method?: string | undefined
  path?: string | undefined
}

export type Explained = {
  allowed: boolean
  /** The one form used for matching, DNS, SNI, Host and the log; absent when it cannot be read. */
  canonical?: string
  /** Of an allowed destination. */
  rule?: EgressRule
  /** Of one that is not. */
  reason?: Reason
  sentence?: string
}

/**
 * Decides as the proxy would, before any DNS query. Without a port it is 443, or 80 for a request.
 * What only a connection shows (addresses, the TLS greeting) is not looked at.
 */
export function explainDestination(
  parts: {
    rules: EgressRule[]
    deny: EgressDeny[]
    gateway: Pick<GatewayRoute, 'id' | 'preset' | 'origin'>[]
  },
  question: Question,
): Explained {
  const { destination, method, path } = question
  const parsed = /:\d+$/.test(destination)
    ? parseAuthority(destination)
    : parseHostPort(destination, method === undefined ? 443 : 80)
  if (!parsed.ok) return refused(parsed.reason, destination)
  const authority = parsed.value
  const canonical = formatAuthority(authority)
  const verdict = decide(policyFrom(parts, ''), askFor(authority, method, path))
  if (verdict.verdict === 'allow') return { allowed: true, canonical, rule: verdict.rule }
  return { canonical, ...refused(verdict.reason, canonical) }
}

function askFor(authority: Authority, method?: string, path = '/'): Ask {
  if (method === undefined) return { kind: 'connect', authority }
  return { kind: 'http', authority, method, path: splitPath(path).path }
}

function refused(reason: Reason, where: string): Explained {
  return { allowed: false, reason, sentence: sentenceFor(reason, where) }
}
