/** One prompt in one session, from `session/new` to the stop reason. */
import { methods } from '@agentclientprotocol/sdk'
import type { SessionNotification, StopReason } from '@agentclientprotocol/sdk'

import type { AgentConnection } from './connect.ts'

export type PromptOptions = {
  /** Absolute. */
  cwd: string
  prompt: string
  /** Aborting it cancels the turn; the result then is the agent's answer to the cancel. */
  signal: AbortSignal
  onSession?: (sessionId: SessionNotification['sessionId']) => void
}

export type PromptResult = { sessionId: string; stopReason: StopReason }

/** Rejects with the agent's error, or with the connection's when the agent ends. */
export async function runPrompt(
  connection: AgentConnection,
  options: PromptOptions,
): Promise<PromptResult> {
  const { agent } = connection
  const { cwd, prompt, signal } = options
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })
  options.onSession?.(sessionId)
  if (signal.aborted) return { sessionId, stopReason: 'cancelled' }
  const cancel = () => {
    // The prompt's own answer tells how it ended, also when the cancel could not be sent.
    agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined)
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const { stopReason } = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: prompt }],
    })
    return { sessionId, stopReason }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
