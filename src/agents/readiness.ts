/** Whether an agent can start here: its images on the engine, and a key for a model it speaks. */
import type { Engine } from '../docker/engine.ts'
import { pinnedImage } from '../docker/image.ts'
import { GloveboxError, sentenceOf } from '../errors.ts'
import { type Lock, lockEntry } from '../images/lock.ts'
import type { Policy } from '../policy/merge.ts'
import { chooseModel } from '../session/model-choice.ts'
import { type Profile, loadProfile, profileIds } from './profile.ts'

/** One agent as `glovebox agents --json` tells it. */
export type AgentReadiness = {
  id: string
  title: string
  /** Of the agent's own package. */
  version: string
  /** The agent that runs when none is named. */
  default: boolean
  ready: boolean
  /** Whether both images are there and are the ones that are locked. */
  image: 'ready' | 'missing' | 'not_pinned' | 'unknown'
  /** Whether a model provider that the agent speaks has its key; `none`: policy allows no such one. */
  key: 'present' | 'missing' | 'none'
  /** The provider that would be used. */
  provider: string | null
  /** Sentences that say what to do. */
  missing: string[]
}

/** What the agents are judged by. `engine` is the fault when there is none. */
export type Surroundings = {
  engine: Engine | GloveboxError
  lock: Lock
  policy: Policy
  env: Record<string, string | undefined>
}

/** Every agent that the policy lets run, in the order of their names. */
export async function agentReadiness(around: Surroundings): Promise<AgentReadiness[]> {
  const allowed = profileIds().filter((id) => around.policy.agents?.includes(id) ?? true)
  return await Promise.all(allowed.map((id) => readinessOf(loadProfile(id), around)))
}

async function readinessOf(profile: Profile, around: Surroundings): Promise<AgentReadiness> {
  const [image, key] = [await imageState(profile, around), keyState(profile, around)]
  return {
    id: profile.id,
    title: profile.title,
    version: profile.initialize.agentInfo.version,
    default: profile.id === around.policy.agent,
    ready: image.state === 'ready' && key.state === 'present',
    image: image.state,
    key: key.state,
    provider: key.provider,
    missing: [...image.missing, ...key.missing],
  }
}

type ImageState = { state: AgentReadiness['image']; missing: string[] }

async function imageState(profile: Profile, around: Surroundings): Promise<ImageState> {
  const { engine, lock } = around
  if (engine instanceof GloveboxError) return { state: 'unknown', missing: [engine.sentence] }
  try {
    for (const role of ['egress-proxy', profile.image]) {
      // oxlint-disable-next-line no-await-in-loop -- the first fault is the one to tell
      await pinnedImage(engine, lockEntry(lock, engine.info.uri, role), role)
    }
    return { state: 'ready', missing: [] }
  } catch (error) {
    if (error instanceof GloveboxError && error.code === 'image_missing') {
      const word = profile.id === 'bundled' ? '' : ` ${profile.id}`
      return { state: 'missing', missing: [`Run \`glovebox build${word}\`.`] }
    }
    const changed = error instanceof GloveboxError && error.code === 'image_not_pinned'
    return { state: changed ? 'not_pinned' : 'unknown', missing: [sentenceOf(error)] }
  }
}

type KeyState = { state: AgentReadiness['key']; provider: string | null; missing: string[] }

function keyState(profile: Profile, { policy, env }: Surroundings): KeyState {
  try {
    const { route } = chooseModel(policy, profile, env)
    return { state: 'present', provider: route.id, missing: [] }
  } catch (error) {
    const noKey = error instanceof GloveboxError && error.code === 'credential_missing'
    return { state: noKey ? 'missing' : 'none', provider: null, missing: [sentenceOf(error)] }
  }
}
