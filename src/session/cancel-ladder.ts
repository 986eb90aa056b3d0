/** How a cancelled turn ends, as a pure state machine: events and clock in, actions out. */

/** In ms. A profile may say otherwise in its `cancel`. */
export type Grace = {
  /** From the cancel to the first reap, when the agent has not answered the prompt by itself. */
  grace1_ms: number
  /** From there until the launcher answers the prompt and ends the agent. */
  grace2_ms: number
  /** From there until the container is killed. */
  grace3_ms: number
}

/** An agent may need 2 s from TERM to KILL of its tools, and settles for up to 3 s. */
export const DEFAULT_GRACE: Grace = { grace1_ms: 4_000, grace2_ms: 4_000, grace3_ms: 3_000 }

/** How long a reap may take until it is asked for by SIGINT as well, in ms; init gives up at 1.3 s. */
export const REAP_BOUND = 1_600
/** … and how long until the container ends because nothing was confirmed. */
export const INTERRUPT_BOUND = 800

export type Ladder = {
  /**
   * `idle`: no prompt is open. `running`: one is. `cancelled`: grace 1. `overdue`: grace 2.
   * `ending`: grace 3, no prompt is open any more. `ended`: the container is gone or as good as.
   */
  stage: 'idle' | 'running' | 'cancelled' | 'overdue' | 'ending' | 'ended'
  /** When the stage is over. */
  until?: number
  /** When the container is killed at the latest, once it has to end. */
  killAt?: number
  /** Reaps that init has not confirmed; at `until` it is asked once more by a signal, then no more. */
  reap?: { open: number; until: number; interrupted: boolean }
}

export type LadderEvent =
  /** A prompt goes to the agent while none was open. */
  | 'prompt'
  | 'cancel'
  /** The agent answered the last open prompt. */
  | 'answered'
  /** Init ended everything the turn started. */
  | 'reaped'
  /** Init ended not everything. */
  | 'left'
  | 'container-ended'
  | 'clock'

export type LadderAction =
  /** Pass the cancel on and answer the agent's open questions. */
  | 'relay'
  | 'reap'
  /** SIGINT to the container. */
  | 'interrupt'
  /** Answer the open prompts `cancelled`. */
  | 'answer'
  /** SIGTERM to the container; the session is over. */
  | 'terminate'
  /** SIGKILL to the container. */
  | 'kill'

export type Climb = { ladder: Ladder; actions: LadderAction[] }

/** What `event` leads to at `now`, in ms of a clock that only goes forward. */
export function climb(ladder: Ladder, event: LadderEvent, now: number, grace: Grace): Climb {
  if (ladder.stage === 'ended') return { ladder, actions: [] }
  switch (event) {
    case 'prompt':
      return ladder.stage === 'idle' ? to(ladder, { stage: 'running' }) : stay(ladder)
    case 'cancel':
      return cancel(ladder, now, grace)
    case 'answered':
      return answered(ladder, now)
    case 'reaped':
      return stay(confirmed(ladder))
    case 'left':
      return end(confirmed(ladder), now, grace)
    case 'container-ended':
      return stay({ stage: 'ended' }, isCancelling(ladder) ? ['answer'] : [])
    case 'clock':
      return clock(ladder, now, grace)
    default:
      return event satisfies never
  }
}

/** Whether a prompt is open that must end `cancelled`. */
export function isCancelling({ stage }: Ladder): boolean {
  return stage === 'cancelled' || stage === 'overdue'
}

/** When the next `clock` event is due. */
export function wakeAt({ until, reap }: Ladder): number | undefined {
  const due = [until, reap?.until].filter((time) => time !== undefined)
  return due.length === 0 ? undefined : Math.min(...due)
}

/** A second cancel is passed on, but the rungs of the first keep their times. */
function cancel(ladder: Ladder, now: number, grace: Grace): Climb {
  if (ladder.stage !== 'running') return stay(ladder, ['relay'])
  const { grace1_ms: first, grace2_ms: second, grace3_ms: third } = grace
  const killAt = now + first + second + third
  return to(ladder, { stage: 'cancelled', until: now + first, killAt }, ['relay'])
}

/** The reap is unconditional: an agent that answers at once may have left a daemon. */
function answered(ladder: Ladder, now: number): Climb {
  if (ladder.stage === 'running') return to(ladder, { stage: 'idle' })
  if (!isCancelling(ladder)) return stay(ladder)
  const { killAt = now } = ladder
  return to(withReap(ladder, now), { stage: 'idle', killAt }, ['reap'])
}

function clock(ladder: Ladder, now: number, grace: Grace): Climb {
  const { until, reap } = ladder
  if (until !== undefined && until <= now) return stageOver(ladder, now, grace)
  if (reap === undefined || reap.until > now) return stay(ladder)
  if (reap.interrupted) return end(ladder, now, grace)
  const again = { ...reap, interrupted: true, until: now + INTERRUPT_BOUND }
  return stay({ ...ladder, reap: again }, ['interrupt'])
}

function stageOver(ladder: Ladder, now: number, grace: Grace): Climb {
  if (ladder.stage === 'cancelled') {
    const { killAt = now } = ladder
    const until = now + grace.grace2_ms
    return to(withReap(ladder, now), { stage: 'overdue', until, killAt }, ['reap'])
  }
  if (ladder.stage === 'overdue') return end(ladder, now, grace)
  return stay({ stage: 'ended' }, ['kill'])
}

/** What cannot be ended one by one ends with its container. */
function end(ladder: Ladder, now: number, { grace3_ms: third }: Grace): Climb {
  if (ladder.stage === 'ending') return stay(ladder)
  const open = ladder.stage === 'idle' ? [] : (['answer'] as const)
  const until = Math.max(now, Math.min(now + third, ladder.killAt ?? Infinity))
  return stay({ stage: 'ending', until }, [...open, 'terminate'])
}

function withReap(ladder: Ladder, now: number): Ladder {
  const open = (ladder.reap?.open ?? 0) + 1
  return { ...ladder, reap: { open, until: now + REAP_BOUND, interrupted: false } }
}

/** What followed the signal was a reap of everything. */
function confirmed(ladder: Ladder): Ladder {
  const { reap, ...rest } = ladder
  if (reap === undefined || reap.open === 1 || reap.interrupted) return rest
  return { ...rest, reap: { ...reap, open: reap.open - 1 } }
}

/** Another stage; a reap under way goes on. */
function to(from: Ladder, next: Ladder, actions: readonly LadderAction[] = []): Climb {
  const ladder = from.reap === undefined ? next : { ...next, reap: from.reap }
  return { ladder, actions: [...actions] }
}

function stay(ladder: Ladder, actions: readonly LadderAction[] = []): Climb {
  return { ladder, actions: [...actions] }
}
