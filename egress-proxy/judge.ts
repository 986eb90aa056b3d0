/** From a parsed request to a verdict, without touching a socket. Pure. */
import { type Authority, parseHostPort } from './authority.ts'
import { type Policy, decide } from './decide.ts'
import { type FlatHeaders, faultInRequest, valuesOf } from './headers.ts'
import type { EgressRule } from './policy.ts'
import type { Reason } from './reasons.ts'
import { type Target, parseAbsolute, splitPath } from './target.ts'

export type RequestFacts = {
  method: string
  /** The request target as it was sent. */
  url: string
  /** `1.0` or `1.1`. */
  version: string
  headers: FlatHeaders
}

export type Judged =
  | { ok: true; authority: Authority; rule: EgressRule; path: string; search: string }
  | { ok: false; reason: Reason; authority?: Authority; path?: string }

/**
 * Judges a forward request. Inside a CONNECT tunnel, `inside` is the tunnel's target: the request
 * is then in origin form and its Host must name that target, on every request.
 */
export function judgeRequest(policy: Policy, facts: RequestFacts, inside?: Authority): Judged {
  const fault = faultInRequest(facts.version, facts.headers)
  if (fault !== undefined) return { ok: false, reason: fault }
  const target = inside === undefined ? parseAbsolute(facts.url) : targetInside(facts.url, inside)
  if (!target.ok) return { ok: false, reason: target.reason }
  const { authority, path, search, userinfo } = target.value
  const verdict = decide(policy, { kind: 'http', authority, method: facts.method, path })
  if (verdict.verdict === 'deny') return { ok: false, reason: verdict.reason, authority, path }
  const late = userinfo ? 'userinfo_in_target' : faultInHost(facts, authority)
  if (late !== undefined) return { ok: false, reason: late, authority, path }
  return { ok: true, authority, rule: verdict.rule, path, search }
}

type Inside = { ok: true; value: Target } | { ok: false; reason: Reason }

function targetInside(url: string, inside: Authority): Inside {
  if (!url.startsWith('/')) {
    const absolute = parseAbsolute(url)
    if (absolute.ok && !isSame(absolute.value.authority, inside)) {
      return { ok: false, reason: 'host_mismatch' }
    }
    return absolute
  }
  if (!/^[\x21-\x7e]+$/.test(url) || url.includes('#')) {
    return { ok: false, reason: 'malformed_target' }
  }
  return { ok: true, value: { authority: inside, userinfo: false, ...splitPath(url) } }
}

function isSame(one: Authority, other: Authority): boolean {
  return one.host.text === other.host.text && one.port === other.port
}

/** RFC 9112, 3.2: exactly one Host, naming the target (its port may be left out when it is 80). */
function faultInHost(facts: RequestFacts, target: Authority): Reason | undefined {
  const hosts = valuesOf(facts.headers, 'host')
  if (hosts.length > 1) return 'duplicate_host'
  const [host] = hosts
  if (host === undefined) return facts.version === '1.0' ? undefined : 'missing_host'
  const parsed = parseHostPort(host, 80)
  const same = parsed.ok && parsed.value.host.plain && isSame(parsed.value, target)
  return same ? undefined : 'host_mismatch'
}

/** What is wrong with a WebSocket handshake (RFC 6455, 4.2.1), as a status; undefined when sound. */
export function faultInUpgrade(facts: RequestFacts): 400 | 426 | undefined {
  if (facts.method !== 'GET' || facts.version !== '1.1') return 400
  const keys = valuesOf(facts.headers, 'sec-websocket-key')
  if (keys.length !== 1 || !/^[A-Za-z0-9+/]{22}==$/.test(keys[0] ?? '')) return 400
  const lengths = valuesOf(facts.headers, 'content-length').filter((length) => length !== '0')
  if (lengths.length > 0 || valuesOf(facts.headers, 'transfer-encoding').length > 0) return 400
  const versions = valuesOf(facts.headers, 'sec-websocket-version')
  return versions.length === 1 && versions[0] === '13' ? undefined : 426
}
