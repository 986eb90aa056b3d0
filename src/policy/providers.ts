/** Which model providers a session may use. Pure. */
import type { EgressDeny } from '../../egress-proxy/policy.ts'
import { DEFAULTS } from './defaults.ts'
import type { Provider } from './merge.ts'
import { covers, intersectRanges } from './ranges.ts'
import type { AdminPolicy, ProviderConfig, UserConfig } from './schema.ts'

/** The built-in providers and the user's; one the user names again keeps what is not said anew. */
export function userProviders(configured: UserConfig['providers'] = {}): Record<string, Provider> {
  const own = Object.entries(configured).flatMap(([id, config]) => {
    const provider = completeProvider(id, config)
    return provider === undefined ? [] : [[id, provider] as const]
  })
  return { ...DEFAULTS.providers, ...Object.fromEntries(own) }
}

/** Undefined when no preset or no URL is known. A key file replaces the usual variable. */
export function completeProvider(id: string, config: ProviderConfig): Provider | undefined {
  const builtIn = builtInProvider(id)
  const preset = config.preset ?? builtIn?.preset
  const base_url = config.base_url ?? builtIn?.base_url
  if (preset === undefined || base_url === undefined) return undefined
  const key_env = config.key_env ?? (config.key_file === undefined ? builtIn?.key_env : undefined)
  return { ...config, preset, base_url, key_env }
}

/**
 * What the administrator and the deny list leave of a provider; undefined when nothing. The
 * administrator allows a preset at a URL, under any name.
 */
export function narrowProvider(
  provider: Provider,
  admin: AdminPolicy['providers'],
  deny: EgressDeny[],
): Provider | undefined {
  if (isDenied(provider.base_url, deny)) return undefined
  if (admin === undefined) return provider
  const grant = Object.entries(admin)
    .map(([id, config]) => ({ ...builtInProvider(id), ...config }))
    .find(
      ({ preset, base_url }) => preset === provider.preset && sameUrl(base_url, provider.base_url),
    )
  if (grant === undefined) return undefined
  const allow_private = intersectRanges(provider.allow_private, grant.allow_private)
  const insecure_http = provider.insecure_http === true && grant.insecure_http === true
  return { ...provider, allow_private, insecure_http }
}

/** Own keys only: an id such as `constructor` is no built-in provider. */
function builtInProvider(id: string): Provider | undefined {
  return Object.hasOwn(DEFAULTS.providers, id) ? DEFAULTS.providers[id] : undefined
}

function isDenied(url: string, deny: EgressDeny[]): boolean {
  const { hostname, port, protocol } = new URL(url)
  const usual = protocol === 'https:' ? 443 : 80
  const number = port === '' ? usual : Number(port)
  return deny.some(
    ({ host, ports }) => covers(host, hostname) && (ports === undefined || ports.includes(number)),
  )
}

function sameUrl(one: string | undefined, other: string): boolean {
  return one !== undefined && plainUrl(one) === plainUrl(other)
}

function plainUrl(text: string): string {
  return new URL(text).href.replace(/\/+$/, '')
}
