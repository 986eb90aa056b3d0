/** The story of one session's start: policy, credential, images, border, container, agent. */
import { randomUUID } from 'node:crypto'

import type { OpenEvents } from '../acp/connection.ts'
import { isRecord, sessionIdOf, type RequestFrame } from '../acp/frame.ts'
import { maskInitialize } from '../acp/guard.ts'
import { narrowSessionNew } from '../acp/session-new.ts'
import { loadProfile, profileEnv, type Profile } from '../agents/profile.ts'
import { sessionRecorder } from '../audit/budget.ts'
import type { AuditWriter } from '../audit/writer.ts'
import { containerUser, type ContainerUser } from '../docker/container-user.ts'
import type { Engine, ImageFacts, Mount } from '../docker/engine.ts'
import { agentContainer, HOME_FOLDER } from '../docker/hardening.ts'
import { ownHardLimits } from '../docker/limits.ts'
import { projectMounts } from '../docker/mounts.ts'
import type { Proxy } from '../egress/proxy.ts'
import { GloveboxError } from '../errors.ts'
import type { Log } from '../log.ts'
import { proxyLimits } from '../policy/egress-limits.ts'
import type { Policy } from '../policy/merge.ts'
import { checkCwd, type ProjectFolder } from '../project/cwd.ts'
import { AgentContainer } from './agent-container.ts'
import { agentImage, type AgentImage } from './agent-image.ts'
import { DEFAULT_GRACE } from './cancel-ladder.ts'
import { containerLimits } from './container-limits.ts'
import { agentEnvironment, GATEWAY_URL } from './environment.ts'
import { labels } from './labels.ts'
import { limitLines } from './line-budget.ts'
import { chooseModel, type ModelChoice } from './model-choice.ts'
import { checkMounted, foldersToTell } from './mounted-folders.ts'
import {
  eachPart,
  partsCovers,
  partsEnv,
  planProjectParts,
  type ProjectPart,
} from './project-parts.ts'
import { queuedStart, type QueuedStart } from './queued-start.ts'
import { cwdOf } from './request-folder.ts'
import { Session } from './session.ts'
import { linkNotice, unenforcedNotice } from './start-notices.ts'
import type { QueueEvents, StartQueue } from './start-queue.ts'
import { aborted, diedEarly, overdue } from './start-waits.ts'
import { stateMount } from './state-volume.ts'
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
type Plan = {
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

/**
 * Starts a container for `session/new`, `load` or `resume` and sends the frame to its agent; for
 * `session/list` and `delete` too, whose container ends with the answer. Errors: GloveboxError.
 */
export async function openSession(
  host: SessionHost,
  frame: RequestFrame,
  initialize: Record<string, unknown>,
  events: OpenEvents,
): Promise<Session> {
  const plan = await planSession(host, frame)
  const narrowed = narrowSessionNew(frame)
  events.left.throwIfAborted()
  const proxy = await host.takeProxy(plan.policy, plan.queued)
  let session: Session | undefined
  try {
    const container = await startContainer(host, plan, proxy, events.left)
    session = new Session(
      events.prefix,
      {
        id: plan.id,
        container,
        proxy,
        notices: [
          ...narrowed.notices,
          ...linkNotice(plan.project),
          ...unenforcedNotice(container),
          ...plan.queued.notices(),
          ...plan.parts.flatMap(({ notices }) => notices),
        ],
        projectParts: plan.parts,
        closes: closes(plan.profile.initialize.agentCapabilities),
        grace: { ...DEFAULT_GRACE, ...plan.profile.cancel },
        helpers: plan.profile.helpers ?? [],
        limits: plan.policy.limits,
        stoppedBy: () => host.stoppedBy(plan.id),
      },
      { ...events, record: sessionRecorder(host.audit) },
    )
    await Promise.race([
      Promise.all([configureProxy(host, plan, proxy, session), handshake(session, initialize)]),
      diedEarly(container),
      aborted(events.left),
    ])
    const named = sessionIdOf(frame)
    if (named !== undefined && frame.method !== 'session/delete') session.adopt(named)
    await session.relay.forwardRequest(frame, narrowed.bytes)
    return session
  } catch (error) {
    // The first fault is the one to tell.
    await (session ?? proxy)[Symbol.asyncDispose]().catch(() => undefined)
    if (session === undefined) await eachPart(plan.parts, 'dispose', recordOnly(host, plan.id))
    throw error
  }
}

function recordOnly({ audit }: SessionHost, session: string): Parameters<typeof eachPart>[2] {
  return {
    record: (type, data) => audit.record(type, { session, ...data }),
    notify: () => undefined,
  }
}

async function planSession(host: SessionHost, frame: RequestFrame): Promise<Plan> {
  const project = await checkCwd(cwdOf(frame))
  const policy = host.readPolicy(project.realCwd)
  const profile = loadProfile(host.agent ?? policy.agent)
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
  const user = containerUser(engine.info, caller(), project)
  const id = randomUUID()
  const parts = await planProjectParts({ id, project, policy, user, env: host.env })
  const queued = queuedStart(host.log, id)
  return { id, project, policy, profile, model, engine, image, user, parts, queued }
}

async function startContainer(
  host: SessionHost,
  plan: Plan,
  proxy: Proxy,
  left: AbortSignal,
): Promise<AgentContainer> {
  const { id, project, policy, profile, model, engine, image } = plan
  const body = agentContainer({
    engine: engine.info,
    image: image.id,
    command: image.command,
    env: {
      ...image.env,
      ...agentEnvironment(
        host.env,
        profileEnv(profile, { ...model, gateway: `${GATEWAY_URL}/${model.route.id}` }),
      ),
      ...image.own,
      ...partsEnv(plan.parts),
      GLOVEBOX_INIT_FOLDERS: JSON.stringify(foldersToTell(project, partsCovers(plan.parts))),
    },
    user: plan.user,
    cwd: project.cwd,
    mounts: [
      ...projectMounts(project, policy.project === 'read-only'),
      ...plan.parts.flatMap(({ mounts }) => mounts),
      ...stateMounts(plan, host.volumes),
    ],
    proxy: proxy.id,
    hard: ownHardLimits(),
    limits: containerLimits(policy.limits),
    labels: labels('agent', id, host.id, project.realCwd, profile.id),
  })
  host.audit.record('container.create', {
    session: id,
    image: image.id,
    project: project.cwd,
    user: body.User,
  })
  const onLine = limitLines((line) => host.log.info('agent', { session: id, line }))
  const container = await host.starts.run(() => {
    left.throwIfAborted()
    return AgentContainer.start(engine, body, policy.unenforced_limits, onLine)
  }, plan.queued)
  host.audit.record('container.start', { session: id, container: container.id })
  return container
}

function stateMounts(plan: Plan, volumes: VolumeRecords): Mount[] {
  const { project, policy, profile, user, engine } = plan
  if (policy.state === 'ephemeral' || profile.state === undefined) return []
  const owner = { agent: profile.id, project: project.realCwd, uid: user.uid }
  const mount = stateMount(owner, profile.state)
  if (mount.Source !== undefined) volumes.note(mount.Source, engine.info.uri)
  return [mount]
}

async function configureProxy(
  host: SessionHost,
  plan: Plan,
  proxy: Proxy,
  session: Session,
): Promise<void> {
  const { id, policy, model } = plan
  const where = { session: id }
  const first = Promise.withResolvers<unknown>()
  await proxy.configure(
    {
      type: 'configure',
      version: 1,
      session: id,
      identity: { uid: plan.user.uid, gid: plan.user.gid, name: 'agent', home: HOME_FOLDER },
      rules: policy.egress.rules,
      deny: policy.egress.deny,
      gateway: [model.route],
      limits: proxyLimits(policy.egress.limits),
    },
    {
      onDecision: ({ type: _type, ...decision }) => session.record('egress.decision', decision),
      onClose: ({ type: _type, ...close }) => session.record('egress.close', close),
      onInit: (message) => {
        host.log.debug('init', { ...where, message })
        first.resolve(message)
        session.fromInit(message)
      },
      onInitClosed: () => host.log.debug('init left', where),
      onLog: limitLines((line) => host.log.info('proxy', { ...where, line })),
    },
  )
  // The agent starts after this message, so it had no hand in it.
  checkMounted(plan.project, partsCovers(plan.parts), await first.promise)
}

/** Replays the editor's `initialize`; the agent's answer stays here. */
async function handshake(session: Session, initialize: Record<string, unknown>): Promise<void> {
  const answer = session.relay.ask('initialize', maskInitialize(initialize))
  await Promise.race([answer, overdue()])
}

function caller(): { uid: number; gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

function closes(capabilities: Record<string, unknown>): boolean {
  const session = capabilities['sessionCapabilities']
  return isRecord(session) && session['close'] !== undefined
}
