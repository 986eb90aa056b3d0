/** Which model provider a session uses, and the gateway route to it. */
import type { GatewayPreset, GatewayRoute } from '../../egress-proxy/policy.ts'
import type { Profile } from '../agents/profile.ts'
import { resolveCredential } from '../credentials/resolve.ts'
import { GloveboxError } from '../errors.ts'
import type { Policy, Provider } from '../policy/merge.ts'

/** What the agent has instead of a key; of the shape agents expect, and worth nothing. */
const PLACEHOLDER = {
  anthropic: 'sk-ant-api03-glovebox-placeholder-the-real-key-stays-outside-AA',
  openai: 'sk-glovebox-placeholder-the-real-key-stays-outside',
  gemini: 'AIzaGlovebox-placeholder-the-key-is-out',
} as const

const KEY_HEADER = {
  anthropic: 'x-api-key',
  openai: 'authorization',
  gemini: 'x-goog-api-key',
} as const

export type ModelChoice = {
  route: GatewayRoute
  preset: GatewayPreset
  model: string | undefined
  placeholder: string
}

/**
 * The configured provider, or the first one the agent can speak that has a key.
 * Errors: `credential_missing` (ACP -32000) naming every way to give one.
 */
export function chooseModel(
  policy: Policy,
  profile: Profile,
  env: Record<string, string | undefined>,
): ModelChoice {
  const spoken = Object.entries(policy.providers).filter(([, provider]) =>
    profile.presets.includes(provider.preset),
  )
  const wanted =
    policy.provider === undefined ? spoken : spoken.filter(([id]) => id === policy.provider)
  if (wanted.length === 0) {
    throw new GloveboxError(
      'config_invalid',
      policy.provider === undefined
        ? `No model provider is allowed that ${profile.title} can use.`
        : `The provider ${JSON.stringify(policy.provider)} is not one that ${profile.title} can use here.`,
      `It speaks: ${profile.presets.join(', ')}.`,
    )
  }
  let missing: unknown
  for (const [id, provider] of wanted) {
    try {
      return choice(id, provider, policy, profile, env)
    } catch (error) {
      missing ??= error
    }
  }
  throw missing
}

function choice(
  id: string,
  provider: Provider,
  policy: Policy,
  profile: Profile,
  env: Record<string, string | undefined>,
): ModelChoice {
  const secret = resolveCredential(id, provider, env)
  const header = KEY_HEADER[provider.preset]
  const value = header === 'authorization' ? `Bearer ${secret?.reveal()}` : secret?.reveal()
  return {
    preset: provider.preset,
    model: policy.model ?? provider.model ?? profile.models[provider.preset],
    placeholder: PLACEHOLDER[provider.preset],
    route: {
      id,
      preset: provider.preset,
      origin: provider.base_url,
      ...(secret === undefined || value === undefined ? {} : { credential: { header, value } }),
      ...(provider.allow_private === undefined ? {} : { allow_private: provider.allow_private }),
      ...(provider.insecure_http === undefined ? {} : { insecure_http: provider.insecure_http }),
    },
  }
}
