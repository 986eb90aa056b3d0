/** The story of one container's start: border, container, agent. */
import { maskInitialize } from '../acp/guard.ts'
import { profileEnv } from '../agents/profile.ts'
import type { Mount } from '../docker/engine.ts'
import { agentContainer, HOME_FOLDER } from '../docker/hardening.ts'
import { ownHardLimits } from '../docker/limits.ts'
import { projectMounts } from '../docker/mounts.ts'
import type { Proxy } from '../egress/proxy.ts'
import { proxyLimits } from '../policy/egress-limits.ts'
import { AgentContainer } from './agent-container.ts'
import { DEFAULT_GRACE } from './cancel-ladder.ts'
import { containerLimits } from './container-limits.ts'
import { agentEnvironment, GATEWAY_URL } from './environment.ts'
import { labels } from './labels.ts'
import { limitLines } from './line-budget.ts'
import { Live } from './live.ts'
import { checkMounted, foldersToTell } from './mounted-folders.ts'
import type { Plan, SessionHost } from './plan.ts'
import { stateOf } from './plan.ts'
import { eachPart, partsCovers, partsEnv } from './project-parts.ts'
import type { StartFor } from './session-parts.ts'
import { unenforcedNotice } from './start-notices.ts'
import { aborted, diedEarly, overdue } from './start-waits.ts'
import { stateMount } from './state-volume.ts'
import type { VolumeRecords } from './volume-records.ts'

/** One container of a session, with its proxy, up to the agent's answer to `initialize`. */
export async function startLive(
  host: SessionHost,
  plan: Plan,
  initialize: Record<string, unknown>,
  session: StartFor,
  notices: string[],
): Promise<Live> {
  const proxy = await host.takeProxy(plan.policy, plan.queued)
  let live: Live | undefined
  try {
    const container = await startContainer(host, plan, proxy, session.left)
    notices.push(
      ...unenforcedNotice(container),
      ...plan.queued.notices(),
      ...plan.parts.flatMap((part) => part.notices),
    )
    live = new Live(
      {
        container,
        proxy,
        grace: { ...DEFAULT_GRACE, ...plan.profile.cancel },
        helpers: plan.profile.helpers ?? [],
        limits: plan.policy.limits,
        stoppedBy: () => host.stoppedBy(plan.id),
        projectParts: plan.parts,
        prefix: session.prefix,
        earlier: session.earlier,
      },
      session.host,
    )
    await Promise.race([
      Promise.all([configureProxy(host, plan, proxy, session, live), handshake(live, initialize)]),
      diedEarly(container),
      aborted(session.left),
    ])
    return live
  } catch (error) {
    // The first fault is the one to tell.
    await (live ?? proxy)[Symbol.asyncDispose]().catch(() => undefined)
    if (live === undefined) await eachPart(plan.parts, 'dispose', recordOnly(host, plan.id))
    throw error
  }
}

function recordOnly({ audit }: SessionHost, session: string): Parameters<typeof eachPart>[2] {
  return {
    record: (type, data) => audit.record(type, { session, ...data }),
    notify: () => undefined,
  }
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
  const { project, profile, user, engine } = plan
  const folder = stateOf(plan)
  if (folder === undefined) return []
  const owner = { agent: profile.id, project: project.realCwd, uid: user.uid }
  const mount = stateMount(owner, folder)
  if (mount.Source !== undefined) volumes.note(mount.Source, engine.info.uri)
  return [mount]
}

async function configureProxy(
  host: SessionHost,
  plan: Plan,
  proxy: Proxy,
  { host: session }: StartFor,
  live: Live,
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
        live.fromInit(message)
      },
      onInitClosed: () => host.log.debug('init left', where),
      onLog: limitLines((line) => host.log.info('proxy', { ...where, line })),
    },
  )
  // The agent starts after this message, so it had no hand in it.
  checkMounted(plan.project, partsCovers(plan.parts), await first.promise)
}

/** Replays the editor's `initialize`; the agent's answer stays here. */
async function handshake(live: Live, initialize: Record<string, unknown>): Promise<void> {
  const answer = live.relay.ask('initialize', maskInitialize(initialize))
  live.initialized(await Promise.race([answer, overdue()]))
}
