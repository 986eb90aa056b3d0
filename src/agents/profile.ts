/** Agent profiles: data in container/profiles/, one file an agent, shipped with the package. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { GloveboxError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'

/** How one agent is started and what it needs. Checked by a unit test; read without a validator. */
export type Profile = {
  id: string
  title: string
  /** The image role, as in the lock: `agent-bundled`. */
  image: string
  /** The command inside the container. */
  command: string[]
  /** Provider presets the agent can speak, the preferred one first. */
  presets: ('anthropic' | 'openai')[]
  /**
   * Its environment. `${gateway}`, `${preset}`, `${model}` and `${placeholder}` are replaced; an
   * entry whose `${model}` is not configured is left out.
   */
  env: Record<string, string>
  /** The model when none is configured, by preset. */
  models: Partial<Record<'anthropic' | 'openai', string>>
  /** Where the agent keeps its sessions; a volume is mounted there. */
  state?: string
  /** What the agent answers to `initialize`, as far as it does not depend on the client. */
  initialize: {
    agentInfo: { name: string; title: string; version: string }
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
  preset: string
  model: string | undefined
  placeholder: string
}

/** The environment of a profile with its references replaced. */
export function profileEnv(profile: Profile, values: ProfileValues): Record<string, string> {
  const filled: Record<string, string> = {}
  for (const [name, template] of Object.entries(profile.env)) {
    if (template.includes('${model}') && values.model === undefined) continue
    filled[name] = template
      .replaceAll('${gateway}', values.gateway)
      .replaceAll('${preset}', values.preset)
      .replaceAll('${model}', values.model ?? '')
      .replaceAll('${placeholder}', values.placeholder)
  }
  return filled
}

function profileFolder(): string {
  return join(packageRoot(), 'container', 'profiles')
}
