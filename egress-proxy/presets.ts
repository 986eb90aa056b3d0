/** What the gateway lets through to each kind of provider, and where `/route/…` leads. Pure. */
import { formatHost } from './authority.ts'
import { faultInRequest } from './headers.ts'
import type { RequestFacts } from './judge.ts'
import { isCanonicalPath } from './path.ts'
import type { GatewayPreset, GatewayRoute } from './policy.ts'
import type { Reason } from './reasons.ts'
import { splitPath } from './target.ts'

type Endpoint = { methods: readonly string[]; path: RegExp }

/** The key that is set can do more than inference: only these paths are passed on. */
const ENDPOINTS: Record<GatewayPreset, readonly Endpoint[]> = {
  anthropic: [
    { methods: ['POST'], path: /^\/v1\/messages(?:\/count_tokens)?$/ },
    { methods: ['GET'], path: /^\/v1\/models(?:\/[^/]+)?$/ },
    { methods: ['HEAD', 'GET'], path: /^\/api\/hello$/ },
  ],
  // Some clients and base URLs hold the /v1 themselves.
  openai: [
    { methods: ['POST'], path: /^(?:\/v1)?\/(?:chat\/completions|responses)$/ },
    { methods: ['GET'], path: /^(?:\/v1)?\/models(?:\/[^/]+)?$/ },
  ],
  gemini: [
    {
      methods: ['POST'],
      path: /^\/v1beta\/models\/[\w.-]+:(?:generateContent|streamGenerateContent|countTokens)$/,
    },
    { methods: ['GET'], path: /^\/v1beta\/models(?:\/[\w.-]+)?$/ },
  ],
}

export type GatewayJudged =
  | { ok: true; route: GatewayRoute; origin: string; host: string; port: number; path: string }
  | { ok: false; reason: Reason; path: string; route?: GatewayRoute }

/** The first path segment, where a route's id stands. */
export function routeIdOf(url: string): string {
  return /^\/([^/?]*)/.exec(url)?.[1] ?? ''
}

/**
 * Judges a gateway request. The route alone chooses origin and key; the client's Host means
 * nothing. The rest of the path is appended as text: `new URL(rest, base)` would follow `//host`.
 */
export function judgeGateway(routes: readonly GatewayRoute[], facts: RequestFacts): GatewayJudged {
  const { path, search } = splitPath(facts.url)
  const fault = faultInRequest(facts.version, facts.headers)
  if (fault !== undefined) return { ok: false, reason: fault, path }
  if (!isCanonicalPath(path)) return { ok: false, reason: 'path_not_canonical', path }
  const id = routeIdOf(path)
  const route = routes.find((candidate) => candidate.id === id)
  if (route === undefined) return { ok: false, reason: 'route_unknown', path }
  const rest = path.slice(id.length + 1)
  const endpoints = ENDPOINTS[route.preset].filter((endpoint) => endpoint.path.test(rest))
  if (endpoints.length === 0) return { ok: false, reason: 'path_not_allowed', path, route }
  if (!endpoints.some(({ methods }) => methods.includes(facts.method))) {
    return { ok: false, reason: 'method_not_allowed', path, route }
  }
  return { ok: true, route, ...upstreamOf(route, rest + withoutKeys(search)) }
}

function upstreamOf(route: GatewayRoute, rest: string) {
  const { protocol, hostname, port, pathname } = new URL(route.origin)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  const base = pathname.replace(/\/$/, '')
  const origin = `${protocol}//${formatHost(host)}:${number}`
  return { origin, host, port: number, path: base + rest }
}

const KEY_PARAMETERS = /^(?:key|api[-_]?key|access[-_]?token|token|auth(?:orization)?)$/i

/** The query without parameters that providers take for a credential. */
function withoutKeys(search: string): string {
  if (search === '' || search === '?') return ''
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => !KEY_PARAMETERS.test(safeDecode(pair.split('=')[0] ?? '')))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
