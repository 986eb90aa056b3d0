/** Secrets, and what the host runs by itself: covered at the start, watched as long as the agent runs. */
import { join } from 'node:path'

import { planCovers } from '../project/guarded/plan.ts'
import { ProjectWatch } from '../project/guarded/watch.ts'
import { statePaths } from '../state.ts'
import type { ProjectPart, ProjectPlan } from './project-parts.ts'

/** Errors: `config_invalid` when there is too much to cover. */
export async function guardedPart({ id, project, policy, env }: ProjectPlan): Promise<ProjectPart> {
  const { emptyFile, quarantine } = statePaths(env)
  const plan = await planCovers(project, policy, emptyFile)
  const watch = new ProjectWatch({
    project: project.realCwd,
    plan,
    patterns: policy,
    planted: policy.planted,
    folder: join(quarantine, id),
  })
  await watch.takeNote()
  return {
    mounts: plan.mounts,
    covers: plan.told,
    notices: plan.notices,
    started: (live) => watch.start(live),
    dispose: () => watch[Symbol.asyncDispose](),
  }
}
