/** What a session's start needs, and what is known before anything is started. */
import { loadProfile, type Profile } from '../agents/profile.ts'
import type { AuditWriter } from '../audit/writer.ts'
import { containerUser, ownIds, type ContainerUser } from '../docker/container-user.ts'
import type { Engine, ImageFacts } from '../docker/engine.ts'
import type { Proxy } from '../egress/proxy.ts'
import { GloveboxError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Policy } from '../policy/merge.ts'
import { checkCwd, type ProjectFolder } from '../project/cwd.ts'
import { agentImage, type AgentImage } from './agent-image.ts'
import { chooseModel, type ModelChoice } from './model-choice.ts'
import { planProjectParts, type ProjectPart } from './project-parts.ts'
import { queuedStart, type QueuedStart } from './queued-start.ts'
import type { QueueEvents, StartQueue } from './start-queue.ts'
import type { VolumeRecords } from './volume-records.ts'

/** What a session's start needs of the process it runs in. */
export type SessionHost = {
  /** The launcher's own name, as on the labels. */
  id: string
  env: Record<string, string | undefined>
  /** The agent of the command line, which wins over the configuration. */
  agent: string | undefined
  /** Folders of Glovebox itself, which no project may hold. */
  keptOut: string[]
  audit: AuditWriter
  log: Log
  starts: StartQueue
  engine: () => Promise<Engine>
  /** The pinned image of a role. Errors: `image_missing`, `image_not_pinned`. */
  image: (engine: Engine, role: string) => Promise<ImageFacts>
  /** The image of the command line, which wins over the configuration. */
  imageName: string | undefined
  readPolicy: (project: string) => Policy
  /** Who stopped this session with `glovebox stop`. */
  stoppedBy: (session: string) => string | undefined
  volumes: VolumeRecords
  /** The proxy that is already running, or a new one. */
  takeProxy: (policy: Policy, queued: QueueEvents) => Promise<Proxy>
}

/** Everything that is known before anything is started. */
export type Plan = {
  id: string
  project: ProjectFolder
  policy: Policy
  profile: Profile
  model: ModelChoice
  engine: Engine
  image: AgentImage
  user: ContainerUser
  parts: ProjectPart[]
  queued: QueuedStart
}

/** Errors: every GloveboxError of a start. `agent`: the one that runs, whatever the policy chooses. */
export async function planSession(
  host: SessionHost,
  cwd: string,
  id: string,
  agent = host.agent,
): Promise<Plan> {
  const project = await checkCwd(cwd)
  const policy = host.readPolicy(project.realCwd)
  const profile = loadProfile(agent ?? policy.agent)
  if (policy.agents !== undefined && !policy.agents.includes(profile.id)) {
    throw new GloveboxError(
      'agent_unknown',
      `The policy does not allow the agent ${profile.id}.`,
      `Allowed: ${policy.agents.join(', ') || 'none'}.`,
    )
  }
  const model = chooseModel(policy, profile, host.env)
  const engine = await host.engine()
  const socket = engine.info.uri.slice('unix://'.length)
  await checkCwd(project.cwd, { keptOut: [...host.keptOut, socket] })
  const image = await agentImage(host, engine, profile, policy, project)
  const user = containerUser(engine.info, ownIds(), project)
  const parts = await planProjectParts({ id, project, policy, user, env: host.env })
  const queued = queuedStart(host.log, id)
  return { id, project, policy, profile, model, engine, image, user, parts, queued }
}

/** The folder with what outlives the agent's container, if anything does. */
export function stateOf({ policy, profile }: Plan): string | undefined {
  return policy.state === 'ephemeral' ? undefined : profile.state
}
