/** Why a container ended, in the user's words. */
import type { Policy } from '../policy/merge.ts'
import type { Ending } from './agent-container.ts'
import { type LimitNotices, limitSentence } from './limit-notices.ts'

/** The exit code after SIGKILL, whoever sent it. */
const KILLED = 137

/** The engine or init must have said so: `docker rm -f` gives the same code. */
export function isOutOfMemory(ending: Ending, { memory }: Pick<LimitNotices, 'memory'>): boolean {
  return ending.outOfMemory || (ending.exitCode === KILLED && memory)
}

/** `stoppedBy`: the name of who stopped it with `glovebox stop`. */
export function endingSentence(
  { exitCode, outOfMemory }: Ending,
  limits: Policy['limits'],
  stoppedBy: string | undefined,
): string {
  if (stoppedBy !== undefined) return `${stoppedBy} stopped this session with \`glovebox stop\`.`
  if (outOfMemory) return `The agent’s container ended: ${limitSentence('memory', limits)}`
  if (exitCode === undefined) return 'The connection to the agent’s container broke.'
  if (exitCode === KILLED) return 'The agent was killed from outside Glovebox (SIGKILL).'
  return `The agent’s container ended with exit code ${exitCode}.`
}
