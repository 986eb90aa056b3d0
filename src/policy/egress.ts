/** Egress rules that allow only what both of two lists allow. Pure. */
import { createHash } from 'node:crypto'

import type { EgressDeny, EgressRule } from '../../egress-proxy/policy.ts'
import { covers, intersectHosts, intersectPaths, intersectRanges } from './ranges.ts'

const MAX_ID = 128

/** A rule made of one of each list. */
type Derived = { from: readonly EgressRule[]; rule: EgressRule }

/**
 * The rules pairwise: host, ports, protocol, methods, paths, ranges and switches of both, ids
 * joined. The proxy lets the most specific rule speak (an exact name, then the first), so a rule
 * that does not speak for a destination in its own list must not speak for it here: it loses that
 * port, or the destination is denied.
 */
export function intersectRules(
  one: EgressRule[],
  other: EgressRule[],
): { rules: EgressRule[]; deny: EgressDeny[] } {
  const [first, second] = [one.toSorted(exactFirst), other.toSorted(exactFirst)]
  const derived = first.flatMap((a) => second.flatMap((b) => derive([a, first], [b, second])))
  return {
    rules: derived.map(({ rule }) => rule),
    deny: [...exceptions(first, derived), ...exceptions(second, derived)],
  }
}

type Listed = [EgressRule, EgressRule[]]

function derive([a, first]: Listed, [b, second]: Listed): Derived[] {
  const rule = intersectRule(a, b)
  if (rule === undefined) return []
  const { host } = rule
  const ports = rule.ports.filter(
    (port) => !isSilent(a, first, host, port) && !isSilent(b, second, host, port),
  )
  return ports.length === 0 ? [] : [{ from: [a, b], rule: { ...rule, ports } }]
}

function exactFirst(one: EgressRule, other: EgressRule): number {
  return Number(!isExact(one)) - Number(!isExact(other))
}

const isExact = ({ host }: { host: string }) => !host.startsWith('*.')

/** The destinations and requests of both rules; undefined when there are none. */
function intersectRule(one: EgressRule, other: EgressRule): EgressRule | undefined {
  const host = intersectHosts(one.host, other.host)
  const protocol = intersectProtocols(one.protocol, other.protocol)
  const ports = one.ports.filter((port) => other.ports.includes(port))
  const methods = intersectMethods(one.methods, other.methods)
  const paths = intersectPaths(one.paths, other.paths)
  if (host === undefined || protocol === undefined) return undefined
  if ([ports, methods, paths].some((list) => list?.length === 0)) return undefined
  const ranges = intersectRanges(one.allow_private, other.allow_private)
  return {
    id: joinIds(one.id, other.id),
    host,
    ports,
    protocol,
    ...(ranges.length === 0 ? {} : { allow_private: ranges }),
    ...(methods === undefined ? {} : { methods }),
    ...(paths === undefined ? {} : { paths }),
    ...(one.encoded_slash === true && other.encoded_slash === true ? { encoded_slash: true } : {}),
    ...least('max_request_bytes', one, other),
    ...least('max_tunnel_bytes', one, other),
    ...looseTls(one, other),
  }
}

/** The smaller of two bounds, where there is one. */
function least<K extends 'max_request_bytes' | 'max_tunnel_bytes'>(
  key: K,
  ...rules: EgressRule[]
): Partial<Record<K, number>> {
  const bounds = rules.flatMap((rule) => rule[key] ?? [])
  const made: Partial<Record<K, number>> = {}
  if (bounds.length > 0) made[key] = Math.min(...bounds)
  return made
}

/** `tcp` is a tunnel nobody looks into, so it holds everything that passes as `tls`. */
function intersectProtocols(
  one: EgressRule['protocol'],
  other: EgressRule['protocol'],
): EgressRule['protocol'] | undefined {
  if (one === other) return one
  return one !== 'http' && other !== 'http' ? 'tls' : undefined
}

function intersectMethods(one?: string[], other?: string[]): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.filter((method) => other.includes(method))
}

/** The switches that loosen TLS, where each rule that looks at TLS has them. */
function looseTls(one: EgressRule, other: EgressRule): Pick<EgressRule, 'sni' | 'ech'> {
  const looking = [one, other].filter(({ protocol }) => protocol === 'tls')
  if (looking.length === 0) return {}
  return {
    ...(looking.every(({ sni }) => sni === 'optional') ? { sni: 'optional' } : {}),
    ...(looking.every(({ ech }) => ech === 'allow') ? { ech: 'allow' } : {}),
  }
}

/** Unique as long as ids are unique in each list, and within the length of an id. */
function joinIds(one: string, other: string): string {
  const joined = `${one} & ${other}`
  if (joined.length <= MAX_ID) return joined
  const hash = createHash('sha256').update(joined).digest('hex').slice(0, 16)
  return `${joined.slice(0, MAX_ID - 19)}… ${hash}`
}

/** What the rule that speaks decides about its destination, besides letting it pass. */
function treatment(rule: EgressRule): string {
  const { protocol, allow_private = [] } = rule
  const common = [protocol, allow_private, rule.max_tunnel_bytes ?? null]
  if (protocol === 'tcp') return JSON.stringify(common)
  if (protocol === 'http') return JSON.stringify([...common, rule.max_request_bytes ?? null])
  return JSON.stringify([...common, rule.sni ?? 'required', rule.ech ?? 'deny'])
}

/** Whether another rule of the same list speaks first at this host and port, and differently. */
function isSilent(rule: EgressRule, list: EgressRule[], host: string, port: number): boolean {
  return list.slice(0, list.indexOf(rule)).some((earlier) => {
    if (!earlier.ports.includes(port) || treatment(earlier) === treatment(rule)) return false
    // An exact name inside a wildcard is seen to by `exceptions`.
    if (isExact(earlier)) return earlier.host === host
    return intersectHosts(earlier.host, host) !== undefined
  })
}

/** Exact names whose own rule fell away, and for which a wildcard must not speak instead. */
function exceptions(list: EgressRule[], derived: Derived[]): EgressDeny[] {
  return list
    .filter(isExact)
    .flatMap((rule) =>
      rule.ports
        .filter((port) => hasException(rule, port, list) && isLost(rule, port, derived))
        .map((port) => ({ host: rule.host, ports: [port] })),
    )
}

/** Whether a wildcard of the same list would treat the rule's destination differently. */
function hasException(rule: EgressRule, port: number, list: EgressRule[]): boolean {
  return list.some(
    (wide) =>
      !isExact(wide) && reaches(wide, rule.host, port) && treatment(wide) !== treatment(rule),
  )
}

/** For tunnels any exact rule speaks before a wildcard; of HTTP rules each for its own requests. */
function isLost(rule: EgressRule, port: number, derived: Derived[]): boolean {
  const here = derived.filter((one) => reaches(one.rule, rule.host, port))
  if (!here.some((one) => !isExact(one.rule))) return false
  if (rule.protocol !== 'http') return !here.some((one) => isExact(one.rule))
  return !here.some((one) => one.from.includes(rule))
}

function reaches(rule: EgressRule, host: string, port: number): boolean {
  return rule.ports.includes(port) && covers(rule.host, host)
}
