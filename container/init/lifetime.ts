import type { Agent, Outcome } from './agent.ts'
import { type LadderEvent, type Stage, climb } from './ladder.ts'

/** Why the agent has to end. */
export type EndReason = 'input-ended' | 'heartbeat-lost' | 'control-lost' | 'SIGTERM' | 'SIGHUP'

/** Asks for the end when the engine stops the container. */
export function endOnSignals(end: AbortController): void {
  // PID 1 has no default actions: a signal without a handler is ignored by the kernel.
  for (const signal of ['SIGTERM', 'SIGHUP'] satisfies EndReason[]) {
    process.on(signal, () => end.abort(signal))
  }
}

/**
 * Resolves when the agent ended, by itself or by the ladder that the abort of `end` begins; with
 * SIGKILL as the outcome when not even that was answered in time.
 */
export function liveUntilEnd(agent: Agent, end: AbortSignal): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  let stage: Stage = 'running'
  let timer: NodeJS.Timeout | undefined
  let outcome: Outcome = { code: null, signal: 'SIGKILL' }

  const actions = {
    'close-input': agent.closeInput,
    terminate: agent.terminate,
    kill: agent.kill,
    exit: () => resolve(outcome),
  }
  const on = (event: LadderEvent) => {
    const step = climb(stage, event)
    stage = step.stage
    if (step.timer !== undefined) timer = setTimeout(on, step.timer, 'timer')
    if (stage === 'ended') clearTimeout(timer)
    if (step.action !== undefined) actions[step.action]()
  }

  agent.onEnd((how) => {
    outcome = how
    on('agent-ended')
  })
  if (end.aborted) on('end-asked')
  else end.addEventListener('abort', () => on('end-asked'), { once: true })
  return promise
}
