/** Says where a merged policy allows more than a layer, by the proxy's own decision. */
import { BlockList, isIPv4 } from 'node:net'

import { parseAuthority } from '../../../egress-proxy/authority.ts'
import { type Ask, decide } from '../../../egress-proxy/decide.ts'
import type { EgressDeny, EgressRule } from '../../../egress-proxy/policy.ts'
import type { Policy } from '../../../src/policy/merge.ts'
import type { AdminPolicy, ProjectPolicy } from '../../../src/policy/schema.ts'
import { ADDRESSES, ASKED_PATHS, METHODS, NAMES, PORTS } from './layers.ts'

const ASKS: Ask[] = NAMES.flatMap((name) =>
  PORTS.flatMap((port): Ask[] => {
    const authority = authorityOf(`${name}:${port}`)
    const http = METHODS.flatMap((method) =>
      ASKED_PATHS.map((path): Ask => ({ kind: 'http', authority, method, path })),
    )
    return [{ kind: 'connect', authority }, ...http]
  }),
)

function authorityOf(text: string): Ask['authority'] {
  const parsed = parseAuthority(text)
  if (!parsed.ok) throw new Error(text)
  return parsed.value
}

/** What the policy lets pass and the layer does not, or only under stricter terms. */
export function egressBeyond(
  { egress }: Policy,
  layer: { rules?: EgressRule[] | undefined; deny?: EgressDeny[] | undefined } = {},
): string[] {
  return ASKS.flatMap((ask) => {
    const here = speaker(egress.rules, egress.deny, ask)
    if (here === undefined) return []
    const there = speaker(layer.rules ?? [here], layer.deny ?? [], ask)
    const within = there !== undefined && noLooser(here, there, ask)
    return within ? [] : [JSON.stringify({ ask, here, there })]
  })
}

/** The rule that lets an ask pass. */
function speaker(rules: EgressRule[], deny: EgressDeny[], ask: Ask): EgressRule | undefined {
  const names = new Set<string>()
  const verdict = decide({ rules, deny, gatewayHosts: names, ownNames: names }, ask)
  return verdict.verdict === 'allow' ? verdict.rule : undefined
}

const size = ({ max_request_bytes = Infinity }: EgressRule) => max_request_bytes

/** Whether `a` lets pass only what `b` does, at a destination where both speak. */
function noLooser(a: EgressRule, b: EgressRule, ask: Ask): boolean {
  const protocol = a.protocol === b.protocol || (a.protocol === 'tls' && b.protocol === 'tcp')
  const sni = b.protocol !== 'tls' || a.sni !== 'optional' || b.sni === 'optional'
  const ech = b.protocol !== 'tls' || a.ech !== 'allow' || b.ech === 'allow'
  const bytes = ask.kind === 'connect' || size(a) <= size(b)
  return protocol && sni && ech && bytes && rangesWithin(a.allow_private, b.allow_private)
}

function rangesWithin(inner: string[] = [], outer: string[] = []): boolean {
  return ADDRESSES.every((address) => !inRanges(inner, address) || inRanges(outer, address))
}

function inRanges(ranges: string[], address: string): boolean {
  return ranges.some((range) => {
    const [net = '', bits = ''] = range.split('/')
    if (isIPv4(net) !== isIPv4(address)) return false
    const family = isIPv4(net) ? 'ipv4' : 'ipv6'
    const list = new BlockList()
    list.addSubnet(net, Number(bits), family)
    return list.check(address, family)
  })
}

/** Limits, agents and switches that are looser than the layer's. */
export function settingsBeyond(
  policy: Policy,
  layer: AdminPolicy | ProjectPolicy | undefined,
): string[] {
  const { memory_mb = Infinity, cpus = Infinity } = layer?.limits ?? {}
  const agents = policy.agents ?? ['any other']
  const checks = {
    memory: policy.limits.memory_mb <= memory_mb,
    cpus: policy.limits.cpus <= cpus,
    agents: layer?.agents === undefined || isSubset(agents, layer.agents),
    unenforced: layer?.unenforced_limits !== 'refuse' || policy.unenforced_limits === 'refuse',
  }
  return Object.entries(checks).flatMap(([name, holds]) => (holds ? [] : [name]))
}

export function isSubset(inner: string[], outer: string[]): boolean {
  return inner.every((item) => outer.includes(item))
}

type Route = {
  preset?: string | undefined
  base_url?: string | undefined
  allow_private?: string[] | undefined
  insecure_http?: boolean | undefined
}

/** Providers for which no given route has the same target on terms that are at least as loose. */
export function providersBeyond({ providers }: Policy, routes: Route[]): string[] {
  return Object.entries(providers).flatMap(([id, provider]) => {
    const granted = routes.some(
      (route) =>
        route.preset === provider.preset &&
        withoutSlash(route.base_url) === withoutSlash(provider.base_url) &&
        rangesWithin(provider.allow_private, route.allow_private) &&
        (provider.insecure_http !== true || route.insecure_http === true),
    )
    return granted ? [] : [id]
  })
}

const withoutSlash = (url = '') => url.replace(/\/$/, '')
