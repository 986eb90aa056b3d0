/**
 * The effective policy of three layers: administrator, user, project. Each lower layer can only
 * take away: what the result allows, every layer allows. Pure.
 */
import type { EgressDeny, EgressRule, GatewayPreset } from '../../egress-proxy/policy.ts'
import { DEFAULTS } from './defaults.ts'
import { type EgressLimits, egressLimits, narrowEgressLimits } from './egress-limits.ts'
import { rulesOf } from './egress-presets.ts'
import { intersectRules } from './egress.ts'
import { narrowProvider, userProviders } from './providers.ts'
import type { AdminPolicy, ProjectPolicy, UserConfig } from './schema.ts'

export type Provider = {
  preset: GatewayPreset
  base_url: string
  /** Neither: the provider wants no key. */
  key_env?: string | undefined
  key_file?: string | undefined
  model?: string | undefined
  allow_private?: string[] | undefined
  insecure_http?: boolean | undefined
}

export type Limits = {
  memory_mb: number
  cpus: number
  pids: number
  tmp_mb: number
  home_mb: number
  nofile: number
}

export type Policy = {
  agent: string
  /** All when absent. */
  agents?: string[] | undefined
  /** Undefined: Glovebox's own. */
  image?: string | undefined
  /** All when absent. */
  images?: string[] | undefined
  model?: string | undefined
  provider?: string | undefined
  providers: Record<string, Provider>
  egress: { rules: EgressRule[]; deny: EgressDeny[]; networks: string[]; limits: EgressLimits }
  limits: Limits
  mask: string[]
  unmask: string[]
  protect: string[]
  planted: 'quarantine' | 'report'
  project: 'read-write' | 'read-only'
  state: 'project' | 'ephemeral'
  unenforced_limits: 'refuse' | 'tell'
}

/** A missing file: no constraint for administrator and project, the defaults for the user. */
export type Layers = {
  admin?: AdminPolicy | undefined
  user?: UserConfig | undefined
  project?: ProjectPolicy | undefined
}

export function mergePolicy({ admin, user, project }: Layers): Policy {
  const base = userPolicy(user)
  const narrowed = [admin, project].reduce<Policy>(narrow, base)
  const networks = admin?.egress?.networks
  const egress = {
    ...narrowed.egress,
    networks: narrowed.egress.networks.filter((name) => networks?.includes(name) ?? true),
  }
  const providers = Object.entries(narrowed.providers).flatMap(([id, provider]) => {
    const left = narrowProvider(provider, admin?.providers, egress.deny)
    return left === undefined ? [] : [[id, left] as const]
  })
  return { ...narrowed, egress, providers: Object.fromEntries(providers) }
}

/** The user's file on top of the defaults. */
function userPolicy(user: Omit<UserConfig, 'version'> = {}): Policy {
  return {
    agent: user.agent ?? DEFAULTS.agent,
    agents: user.agents,
    image: user.image,
    images: user.images,
    model: user.model,
    provider: user.provider,
    providers: userProviders(user.providers),
    egress: {
      rules: rulesOf(user.egress) ?? DEFAULTS.egress.rules,
      deny: user.egress?.deny ?? DEFAULTS.egress.deny,
      networks: user.egress?.networks ?? DEFAULTS.egress.networks,
      limits: egressLimits(DEFAULTS.egress.limits, user.egress?.limits),
    },
    limits: mapLimits((name) => user.limits?.[name] ?? DEFAULTS.limits[name]),
    ...projectPolicy(user),
    state: user.state ?? DEFAULTS.state,
    unenforced_limits: user.unenforced_limits ?? DEFAULTS.unenforced_limits,
  }
}

/** What of the project the agent sees and may change. */
function projectPolicy(
  user: Omit<UserConfig, 'version'>,
): Pick<Policy, 'mask' | 'unmask' | 'protect' | 'planted' | 'project'> {
  return {
    mask: [...DEFAULTS.mask, ...(user.mask ?? [])],
    unmask: user.unmask ?? DEFAULTS.unmask,
    protect: [...DEFAULTS.protect, ...(user.protect ?? [])],
    planted: user.planted ?? DEFAULTS.planted,
    project: user.project ?? DEFAULTS.project,
  }
}

function narrow(policy: Policy, layer: AdminPolicy | ProjectPolicy | undefined): Policy {
  if (layer === undefined) return policy
  const { rules, deny } = narrowRules(policy.egress.rules, rulesOf(layer.egress))
  const refuse = [policy.unenforced_limits, layer.unenforced_limits].includes('refuse')
  return {
    ...policy,
    agents: narrowList(policy.agents, layer.agents),
    images: narrowList(policy.images, layer.images),
    egress: {
      ...policy.egress,
      rules,
      deny: [...policy.egress.deny, ...deny, ...(layer.egress?.deny ?? [])],
      limits: narrowEgressLimits(policy.egress.limits, layer.egress?.limits),
    },
    limits: mapLimits((name) => Math.min(policy.limits[name], layer.limits?.[name] ?? Infinity)),
    // What is masked by a layer that cannot be undone is not in the user's hand.
    unmask: policy.unmask.filter((glob) => layer.mask?.includes(glob) !== true),
    mask: [...policy.mask, ...(layer.mask ?? [])],
    protect: [...policy.protect, ...(layer.protect ?? [])],
    planted: [policy.planted, layer.planted].includes('quarantine') ? 'quarantine' : 'report',
    project: [policy.project, layer.project].includes('read-only') ? 'read-only' : 'read-write',
    state: [policy.state, layer.state].includes('ephemeral') ? 'ephemeral' : 'project',
    unenforced_limits: refuse ? 'refuse' : 'tell',
  }
}

function narrowRules(
  rules: EgressRule[],
  filter: EgressRule[] | undefined,
): { rules: EgressRule[]; deny: EgressDeny[] } {
  return filter === undefined ? { rules, deny: [] } : intersectRules(rules, filter)
}

/** An absent list is no constraint. */
function narrowList(one?: string[], other?: string[]): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.filter((item) => other.includes(item))
}

function mapLimits(limit: (name: keyof Limits) => number): Limits {
  return {
    memory_mb: limit('memory_mb'),
    cpus: limit('cpus'),
    pids: limit('pids'),
    tmp_mb: limit('tmp_mb'),
    home_mb: limit('home_mb'),
    nofile: limit('nofile'),
  }
}
