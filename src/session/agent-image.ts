/** The image a session's agent runs in, and what that changes: Glovebox's own, or the user's. */
import type { Profile } from '../agents/profile.ts'
import type { Engine, ImageFacts } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { pinned, toolchainReference, toolchainRole } from '../images/toolchain.ts'
import type { Policy } from '../policy/merge.ts'
import type { ProjectFolder } from '../project/cwd.ts'
import { DEFAULT_PATH } from './environment.ts'

/** Where a user's image has the agent's own programs. */
const PROGRAMS = '/opt/glovebox/bin'

export type AgentImage = {
  id: string
  command: string[]
  /** The image's own environment, for what Glovebox does not set. */
  env: Record<string, string>
  /** What wins over everything else. */
  own: Record<string, string>
}

type Needs = {
  image: (engine: Engine, role: string) => Promise<ImageFacts>
  /** Of the command line, which wins over the configuration. */
  imageName: string | undefined
}

/** Errors: `image_missing`, `image_not_pinned`, `config_invalid`. */
export async function agentImage(
  host: Needs,
  engine: Engine,
  profile: Profile,
  policy: Policy,
  project: Pick<ProjectFolder, 'realCwd'>,
): Promise<AgentImage> {
  const named = host.imageName ?? policy.image
  if (named === undefined) {
    const { id } = await host.image(engine, profile.image)
    return { id, command: profile.command, env: {}, own: {} }
  }
  const reference = pinned(await toolchainReference(named, project.realCwd), 'the command line')
  if (policy.images?.includes(reference) === false) {
    throw new GloveboxError('config_invalid', `The policy does not allow the image ${reference}.`)
  }
  const facts = await built(host, engine, profile, reference)
  return onOwnImage(profile.command, facts)
}

async function built(
  host: Needs,
  engine: Engine,
  profile: Profile,
  reference: string,
): Promise<ImageFacts> {
  try {
    return await host.image(engine, toolchainRole(profile.image, reference))
  } catch (error) {
    if (!(error instanceof GloveboxError) || error.code !== 'image_missing') throw error
    throw new GloveboxError(
      'image_missing',
      `The agent ${profile.id} is not built on the image ${reference}.`,
      `Run \`glovebox build ${profile.id} --image ${reference}\`.`,
    )
  }
}

/** Pure. */
export function onOwnImage(command: string[], facts: Pick<ImageFacts, 'id' | 'env'>): AgentImage {
  const env = Object.fromEntries((facts.env ?? []).map(split))
  const steering = Object.keys(env).filter((name) => /^(LD_|NODE_OPTIONS$)/.test(name))
  return {
    id: facts.id,
    command: command.map((word, index) => (index === 0 && word === 'node' ? NODE : word)),
    env: { ...env, ...Object.fromEntries(steering.map((name) => [name, ''])) },
    own: {
      // Last: the image's programs come first, and its Node is the one the agent's tools see.
      PATH: `${env['PATH'] ?? DEFAULT_PATH}:${PROGRAMS}`,
      GLOVEBOX_INIT_TINI: `${PROGRAMS}/tini`,
    },
  }
}

const NODE = `${PROGRAMS}/node`

function split(variable: string): [string, string] {
  const at = variable.indexOf('=')
  return [variable.slice(0, at), variable.slice(at + 1)]
}
