/** Agent profiles: data in container/profiles/, one file an agent, shipped with the package. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { GatewayPreset } from '../../egress-proxy/policy.ts'
import { GloveboxError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'

type Template = string | boolean | Template[] | { [key: string]: Template }

/** How one agent is started and what it needs. Checked by a unit test; read without a validator. */
export type Profile = {
  id: string
  title: string
  /** The image role, as in the lock: `agent-bundled`. */
  image: string
  /** The command inside the container. */
  command: string[]
  /** Provider presets the agent can speak, the preferred one first. */
  presets: GatewayPreset[]
  /**
   * Its environment. `${gateway}`, `${preset}`, `${model}` and `${placeholder}` are replaced; an
   * entry whose `${model}` is not configured is left out. An object becomes JSON text, in which
   * keys are replaced too.
   */
  env: Record<string, Template>
  /** What is added to the environment with one of the presets. */
  preset_env?: Partial<Record<GatewayPreset, Record<string, Template>>>
  /** The model when none is configured, by preset. */
  models: Partial<Record<GatewayPreset, string>>
  /** Where the agent keeps its sessions; a volume is mounted there. */
  state?: string
  /**
   * Command lines that a cancel spares, `*` standing for any text: what the agent starts during a
   * turn and needs longer, such as a language server. None when absent.
   */
  helpers?: string[]
  /** Times of the cancel ladder that differ from the default, in ms: `src/session/cancel-ladder.ts`. */
  cancel?: { grace1_ms?: number; grace2_ms?: number; grace3_ms?: number }
  /** What the agent answers to `initialize`, as far as it does not depend on the client. */
  initialize: {
    agentInfo: { name: string; title?: string; version: string }
    agentCapabilities: Record<string, unknown>
    _meta?: Record<string, unknown>
  }
}

/** The profile of an agent. Throws `agent_unknown` with the names there are. */
export function loadProfile(id: string): Profile {
  const known = profileIds()
  if (!known.includes(id)) {
    throw new GloveboxError(
      'agent_unknown',
      `There is no agent called ${JSON.stringify(id)}.`,
      `Choose one of: ${known.join(', ')}.`,
    )
  }
  const profile: Profile = JSON.parse(readFileSync(join(profileFolder(), `${id}.json`), 'utf8'))
  return profile
}

/** The ids of all profiles, sorted. */
export function profileIds(): string[] {
  return readdirSync(profileFolder())
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted()
}

/** The values a profile's environment refers to. */
export type ProfileValues = {
  gateway: string
  preset: GatewayPreset
  model: string | undefined
  placeholder: string
}

/** The environment of a profile with its references replaced. */
export function profileEnv(profile: Profile, values: ProfileValues): Record<string, string> {
  const env = { ...profile.env, ...profile.preset_env?.[values.preset] }
  const filled: Record<string, string> = {}
  for (const [name, template] of Object.entries(env)) {
    const value = fill(template, values)
    if (value === undefined) continue
    filled[name] = typeof value === 'string' ? value : JSON.stringify(value)
  }
  return filled
}

/** Undefined where a model is needed and none is configured. */
function fill(template: Template, values: ProfileValues): Template | undefined {
  if (typeof template === 'string') return fillText(template, values)
  if (typeof template === 'boolean') return template
  if (Array.isArray(template)) {
    return template.flatMap((item) => fill(item, values) ?? [])
  }
  const entries = Object.entries(template).flatMap(([key, item]) => {
    const [name, value] = [fillText(key, values), fill(item, values)]
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

function fillText(template: string, values: ProfileValues): string | undefined {
  if (template.includes('${model}') && values.model === undefined) return undefined
  // Functions, since `$&` in a replacement text would mean something.
  return template
    .replaceAll('${gateway}', () => values.gateway)
    .replaceAll('${preset}', () => values.preset)
    .replaceAll('${placeholder}', () => values.placeholder)
    .replaceAll('${model}', () => values.model ?? '')
}

function profileFolder(): string {
  return join(packageRoot(), 'container', 'profiles')
}
