/** Looks at the demo's session from the outside: its container, its decisions, what it left. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

import { verifyFolder } from '../audit/verify-folder.ts'
import { containerUser } from '../docker/container-user.ts'
import type { Engine } from '../docker/engine.ts'
import { findings, lookFrom } from '../proof/look.ts'
import type { Finding } from '../proof/look.ts'
import { agentContainerOf, privatePaths } from '../proof/session-box.ts'
import { LABEL } from '../session/labels.ts'
import type { StatePaths } from '../state.ts'
import { decisionsOf } from './decisions.ts'
import type { DecisionRow } from './decisions.ts'
import type { Workspace } from './workspace.ts'

export const FORBIDDEN_HOST = 'example.com'
/** TEST-NET-1 (RFC 5737): no packet to it ever arrives anywhere. */
const FAR_ADDRESS = '192.0.2.1'
/** Milliseconds for the last decision to reach the audit log, and for an ended session to be gone. */
const PATIENCE = 5_000

const ENGINE_SOCKETS = ['/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock']

export type Box = { engine: Engine; paths: StatePaths; workspace: Workspace; keys: string[] }

/** Errors: `container_failed` when there is no such container or it cannot be looked into. */
export async function lookAtSession(box: Box): Promise<Finding[]> {
  const { engine, paths, workspace, keys } = box
  const { project, secret, owner } = workspace
  const container = engine.container(await agentContainerOf(engine, project))
  const look = await lookFrom(container, {
    hostPaths: [...privatePaths(secret, paths, engine.info.uri), ...ENGINE_SOCKETS],
    forbiddenHost: FORBIDDEN_HOST,
    farAddress: FAR_ADDRESS,
  })
  const caller = { uid: process.getuid?.() ?? owner.uid, gid: process.getgid?.() ?? owner.gid }
  const { uid } = containerUser(engine.info, caller, owner)
  const told = JSON.stringify(await container.inspect())
  return [
    ...findings(look, { uid, hostName: hostname(), project, keys }),
    {
      what: 'model key in what the engine tells of the container',
      found: 'not there',
      ok: !keys.some((key) => told.includes(key)),
    },
  ]
}

/** Waits until the forbidden attempt is among them. */
export async function sessionDecisions({ paths, workspace }: Box): Promise<DecisionRow[]> {
  const until = Date.now() + PATIENCE
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- the log is written by another process
    const rows = await decisionsOf(paths.audit, workspace.project)
    if (rows.some(({ what }) => what.includes(FORBIDDEN_HOST)) || Date.now() > until) return rows
    // oxlint-disable-next-line no-await-in-loop
    await sleep(50)
  }
}

/**
 * How many containers and volumes of this project are there still, after a moment for the engine;
 * the volume of the agent's state is to stay.
 */
export async function leftovers({ engine, workspace }: Box): Promise<number> {
  const label = `${LABEL.project}=${workspace.project}`
  const until = Date.now() + PATIENCE
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- the engine removes them in its own time
    const [containers, volumes] = await Promise.all([engine.list(label), engine.volumes(label)])
    const passing = volumes.filter(({ labels }) => labels[LABEL.role] !== 'state')
    const count = containers.length + passing.length
    if (count === 0 || Date.now() > until) return count
    // oxlint-disable-next-line no-await-in-loop
    await sleep(50)
  }
}

/** How many problems the newest file of the audit log has. */
export async function auditProblems({ paths }: Box): Promise<number> {
  const { files } = await verifyFolder(paths.audit)
  return files.at(-1)?.problems.length ?? 1
}
