/** The egress decision: a value with a reason, made by a pure function. */
import { embeddedV4, isMapped } from './address.ts'
import type { Authority } from './authority.ts'
import { isCanonicalPath, matchesPath } from './path.ts'
import type { EgressDeny, EgressRule, GatewayRoute } from './policy.ts'
import type { Reason } from './reasons.ts'

export type Policy = {
  rules: readonly EgressRule[]
  deny: readonly EgressDeny[]
  /** Hosts of the gateway's upstreams: reached by no other way unless a rule names them. */
  gatewayHosts: ReadonlySet<string>
  /** Names under which a client may mean this proxy itself. */
  ownNames: ReadonlySet<string>
}

/** What the agent asks for. `http` has a method and a path, `connect` has neither. */
export type Ask =
  | { kind: 'connect'; authority: Authority }
  | { kind: 'http'; authority: Authority; method: string; path: string }

export type Verdict =
  | { verdict: 'allow'; rule: EgressRule }
  | { verdict: 'deny'; reason: Reason; rule?: EgressRule }

/**
 * Decides by name alone, before any DNS query. The order:
 * 1. an address instead of a name is denied: rules name hosts only;
 * 2. the deny list wins over every rule;
 * 3. some rule must name the host, then the port, then the protocol;
 * 4. a spelling on which parsers disagree is refused even where its plain form is allowed;
 * 5. for HTTP: the method (TRACE never), the path's spelling, the path.
 */
export function decide(policy: Policy, ask: Ask): Verdict {
  const { host, port } = ask.authority
  if (host.kind === 'ip') return deny(reasonForAddress(host.text))
  const denied = policy.deny.some(
    (entry) =>
      matchesHost(entry.host, host.text) &&
      (entry.ports === undefined || entry.ports.includes(port)),
  )
  if (denied) return deny('host_not_allowed')
  const byHost = policy.rules.filter((rule) => matchesHost(rule.host, host.text))
  if (byHost.length === 0) return deny(reasonForUnknown(policy, host.text))
  if (!host.plain) return deny('malformed_host')
  const byPort = byHost.filter((rule) => rule.ports.includes(port))
  if (byPort.length === 0) return deny('port_not_allowed')
  return ask.kind === 'connect' ? decideConnect(byPort) : decideHttp(byPort, ask)
}

function deny(reason: Reason, rule?: EgressRule): Verdict {
  return rule === undefined ? { verdict: 'deny', reason } : { verdict: 'deny', reason, rule }
}

/** An IPv6 spelling of an IPv4 address is named for what it is; both kinds are denied. */
function reasonForAddress(address: string): Reason {
  return !isMapped(address) && embeddedV4(address) !== undefined
    ? 'resolved_private'
    : 'ip_literal_not_allowed'
}

function reasonForUnknown(policy: Policy, name: string): Reason {
  if (policy.ownNames.has(name)) return 'self_connection'
  return policy.gatewayHosts.has(name) ? 'use_gateway' : 'host_not_allowed'
}

/** Of several rules the most specific one speaks: an exact name before a wildcard, then the first. */
function decideConnect(rules: readonly EgressRule[]): Verdict {
  const [rule] = rules.toSorted(exactFirst)
  return rule === undefined ? deny('port_not_allowed') : { verdict: 'allow', rule }
}

function exactFirst(one: EgressRule, other: EgressRule): number {
  return Number(one.host.startsWith('*.')) - Number(other.host.startsWith('*.'))
}

function decideHttp(rules: readonly EgressRule[], ask: Ask & { kind: 'http' }): Verdict {
  if (ask.method === 'TRACE' || ask.method === 'CONNECT') return deny('method_not_allowed')
  const http = rules.filter((rule) => rule.protocol === 'http').toSorted(exactFirst)
  if (http.length === 0) return deny('scheme_not_allowed')
  const verdicts = http.map((rule) => decideRequest(rule, ask))
  return (
    verdicts.find(({ verdict }) => verdict === 'allow') ?? verdicts[0] ?? deny('host_not_allowed')
  )
}

function decideRequest(rule: EgressRule, ask: Ask & { kind: 'http' }): Verdict {
  if (rule.methods !== undefined && !rule.methods.includes(ask.method)) {
    return deny('method_not_allowed', rule)
  }
  if (!isCanonicalPath(ask.path, { encodedSlash: rule.encoded_slash === true })) {
    return deny('path_not_canonical', rule)
  }
  if (rule.paths !== undefined && !matchesPath(ask.path, rule.paths)) {
    return deny('path_not_allowed', rule)
  }
  return { verdict: 'allow', rule }
}

/** `*.suffix` stands for names of any depth below the suffix, not for the suffix itself. */
export function matchesHost(pattern: string, name: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === name
  return name.length > pattern.length - 1 && name.endsWith(pattern.slice(1))
}

/** Names of this proxy that a confused or curious client may try. */
const OWN_NAMES = ['gateway', 'glovebox', 'egress-proxy']

export function policyFrom(
  parts: { rules: EgressRule[]; deny: EgressDeny[]; gateway: GatewayRoute[] },
  hostname: string,
): Policy {
  return {
    rules: parts.rules,
    deny: parts.deny,
    gatewayHosts: new Set(parts.gateway.map(({ origin }) => new URL(origin).hostname)),
    ownNames: new Set([...OWN_NAMES, hostname.toLowerCase()]),
  }
}

/** The first thing wrong with a configuration that its schema cannot see; undefined when fine. */
export function faultOf(parts: {
  rules: readonly EgressRule[]
  gateway: readonly GatewayRoute[]
}): string | undefined {
  return (
    duplicate(
      parts.rules.map(({ id }) => id),
      'rules',
    ) ??
    duplicate(
      parts.gateway.map(({ id }) => id),
      'gateway',
    ) ??
    parts.gateway.map(faultOfRoute).find((fault) => fault !== undefined)
  )
}

function duplicate(ids: readonly string[], key: string): string | undefined {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  return twice === undefined ? undefined : `${key}: the id ${JSON.stringify(twice)} is used twice`
}

function faultOfRoute(route: GatewayRoute): string | undefined {
  const { protocol, username, password, search, hash, pathname } = new URL(route.origin)
  const where = `gateway.${route.id}`
  if (username !== '' || password !== '' || search !== '' || hash !== '') {
    return `${where}.origin: no user info, query or fragment is possible`
  }
  if (pathname !== '/' && !isCanonicalPath(pathname)) {
    return `${where}.origin: the base path is not canonical`
  }
  if (route.credential === undefined) return undefined
  if (protocol === 'http:' && route.insecure_http !== true) {
    return `${where}.origin: a credential is sent over https only (or set insecure_http)`
  }
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(route.credential.value)) {
    return `${where}.credential.value: expected printable ASCII without spaces at its ends`
  }
  return undefined
}
