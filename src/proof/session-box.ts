/** What both the demo and `glovebox verify` look at: a session's container, and paths of the host. */
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

import type { Engine } from '../docker/engine.ts'
import { GloveboxError } from '../errors.ts'
import { LABEL } from '../session/labels.ts'
import type { StatePaths } from '../state.ts'

/** The id. Errors: `container_failed` when none runs for this project, given by its real path. */
export async function agentContainerOf(engine: Engine, project: string): Promise<string> {
  const found = await engine.list(`${LABEL.project}=${project}`)
  const agent = found.find(
    ({ labels, state }) => labels[LABEL.role] === 'agent' && state === 'running',
  )
  if (agent !== undefined) return agent.id
  throw new GloveboxError('container_failed', "The agent's container of this session is not there.")
}

/** Real paths of this host that would be worth having. */
export function privatePaths(secret: string, paths: StatePaths, engineUri: string): string[] {
  return [
    secret,
    join(homedir(), '.ssh'),
    paths.state,
    dirname(paths.userConfig),
    engineUri.replace('unix://', ''),
  ]
}
