/** What the user is told of a start that went well. */
import type { ProjectFolder } from '../project/cwd.ts'
import type { AgentContainer } from './agent-container.ts'

/** A link in the path may have been put there by another agent. */
export function linkNotice({ cwd, realCwd }: ProjectFolder): string[] {
  return cwd === realCwd
    ? []
    : [`${cwd} leads through a link: the folder that is mounted is ${realCwd}.`]
}

export function unenforcedNotice(container: AgentContainer): string[] {
  if (container.unenforced.length === 0) return []
  const fields = container.unenforced.map(({ field }) => field).join(', ')
  return [`this engine does not enforce these limits of the container: ${fields}.`]
}
