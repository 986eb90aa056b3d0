/** What ends the wait for a session's start: time, the editor, the container. Each only rejects. */
import { once } from 'node:events'

import { GloveboxError } from '../errors.ts'
import type { AgentContainer } from './agent-container.ts'

/** How long an agent may take to answer `initialize`, in ms. */
const INITIALIZE_TIMEOUT = 60_000

/** Rejects when the signal aborts: the editor left while an agent took its time. */
export async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

export async function overdue(): Promise<never> {
  await new Promise((resolve) => {
    setTimeout(resolve, INITIALIZE_TIMEOUT).unref()
  })
  throw new GloveboxError(
    'container_failed',
    `The agent did not answer initialize in ${INITIALIZE_TIMEOUT / 1000} s.`,
  )
}

export async function diedEarly(container: AgentContainer): Promise<never> {
  const { exitCode, outOfMemory } = await container.ended
  const memory = outOfMemory ? ' (killed at its memory limit)' : ''
  const said = container.stderr.last
  throw new GloveboxError(
    'container_failed',
    `The agent’s container ended with exit code ${exitCode ?? 'unknown'}${memory} before the session was open${said === '' ? '.' : `: ${said}`}`,
  )
}
