/** One prompt in one session, from `session/new` to the stop reason. */
import { methods } from '@agentclientprotocol/sdk'
import type { StopReason } from '@agentclientprotocol/sdk'

import { GloveboxError } from '../errors.ts'
import type { AgentConnection } from './connect.ts'

export type PromptOptions = {
  /** Absolute. */
  cwd: string
  prompt: string
  /** A session mode of the agent's; its own choice when absent. */
  mode?: string | undefined
  /** Aborting it cancels the turn; the result then is the agent's answer to the cancel. */
  signal: AbortSignal
}

export type PromptResult = { sessionId: string; stopReason: StopReason }

/** Errors: the agent's own answer; `session_ended` with its last words when it ended in between. */
export async function runPrompt(
  connection: AgentConnection,
  options: PromptOptions,
): Promise<PromptResult> {
  try {
    return await prompted(connection, options)
  } catch (error) {
    const words = await connection.lastWords()
    if (words === undefined) throw error
    throw new GloveboxError('session_ended', `The agent ended: ${words}`, '', { cause: error })
  }
}

async function prompted(
  connection: AgentConnection,
  options: PromptOptions,
): Promise<PromptResult> {
  const { agent } = connection
  const { cwd, prompt, mode, signal } = options
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })
  if (mode !== undefined)
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode })
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
