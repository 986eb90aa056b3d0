/** How an agent's life ends, as a pure state machine: stage and event in, actions and timer out. */

/** Milliseconds from the end of its input to the agent's SIGTERM. */
export const TERM_AFTER = 1_000
/** Milliseconds from SIGTERM to SIGKILL. */
export const KILL_AFTER = 1_000
/** Milliseconds to wait for a killed agent before init exits without it. */
export const EXIT_AFTER = 500

export type Stage = 'running' | 'closing' | 'terminating' | 'killing' | 'ended'
export type LadderEvent = 'end-asked' | 'timer' | 'agent-ended'
type Action = 'close-input' | 'terminate' | 'kill' | 'exit'

export type Step = {
  stage: Stage
  action?: Action
  /** Milliseconds until the next `timer` event. */
  timer?: number
}

/** What each stage does when its time is over. */
const AFTER: Record<Stage, Step> = {
  running: { stage: 'running' },
  closing: { stage: 'terminating', action: 'terminate', timer: KILL_AFTER },
  terminating: { stage: 'killing', action: 'kill', timer: EXIT_AFTER },
  killing: { stage: 'ended', action: 'exit' },
  ended: { stage: 'ended' },
}

/** A second reason to end changes nothing: the rungs of the first keep their times. */
export function climb(stage: Stage, event: LadderEvent): Step {
  if (event === 'timer' || stage === 'ended') return AFTER[stage]
  if (event === 'agent-ended') return { stage: 'ended', action: 'exit' }
  if (stage !== 'running') return { stage }
  return { stage: 'closing', action: 'close-input', timer: TERM_AFTER }
}
