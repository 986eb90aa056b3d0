/** A prompt turn: the model and its tools take turns until there is a reason to stop. */
import { randomUUID } from 'node:crypto'

import type { Effort, Model, ModelRequest, ToolCallPart, UserPart } from '../model/model.ts'
import { costOf } from '../model/prices.ts'
import { withUniqueCallIds } from './call-ids.ts'
import { offeredTools } from './call.ts'
import type { CallContext } from './call.ts'
import { reminder } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { receiveReply } from './reply.ts'
import type { PartialReply, Reply } from './reply.ts'
import { runToolCalls } from './tool-calls.ts'

/** ACP's `StopReason`. */
export type StopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled'

export type TurnContext = CallContext & {
  model: Model
  effort: Effort | undefined
  system: string
  conversation: Conversation
  /** Adds up what the session cost, in US dollars, as far as the prices are known. */
  spent: { cost: number | undefined }
  limits: Limits
}

export type Limits = {
  /** Replies of one turn. */
  steps: number
  /** Tokens of one turn, in and out. */
  tokens: number
  /** US dollars of the whole session; none where it is not set. */
  cost: number | undefined
}

export const DEFAULT_LIMITS: Limits = { steps: 50, tokens: 20_000_000, cost: undefined }

const CONTINUATIONS = 3
/** Output tokens asked for once a reply was cut off. */
const RAISED_MAX_TOKENS = 32_000
const SAME_CALLS = 3

type State = {
  steps: number
  tokens: number
  continuations: number
  /** The last call, and how often it came in a row. */
  lastCall: string
  repeats: number
  partial: PartialReply
  stopped: string[]
}

/**
 * Runs the turn to its end.
 * @throws ModelError when the provider fails for good.
 */
export async function runTurn(context: TurnContext, prompt: UserPart[]): Promise<StopReason> {
  const { conversation, signal } = context
  const before = conversation.messages.length
  const state: State = {
    steps: 0,
    tokens: 0,
    continuations: 0,
    lastCall: '',
    repeats: 0,
    partial: { text: '' },
    stopped: [],
  }
  conversation.add({ role: 'user', parts: prompt })
  try {
    const stop = await stepUntilStop(context, state)
    if (signal.aborted) return await cancelled(context, state)
    // The schema of `refusal`: the prompt and what follows it are not in the next prompt.
    if (stop === 'refusal') conversation.cut(before)
    return stop
  } catch (error) {
    if (signal.aborted) return await cancelled(context, state)
    throw error
  } finally {
    conversation.closeOpenCalls('Not run: the turn ended.')
  }
}

async function stepUntilStop(context: TurnContext, state: State): Promise<StopReason> {
  for (;;) {
    const limit = limitReached(context, state)
    if (limit !== undefined) return await stopAtLimit(context, limit)
    state.steps += 1
    const reply = await receiveReply(
      context.model,
      requestOf(context, state),
      context.ports,
      context.signal,
      state.partial,
    )
    await takeUsage(context, state, reply)
    const stop = await afterReply(context, state, reply)
    if (stop !== undefined) return stop
  }
}

function limitReached({ limits, spent }: TurnContext, state: State): string | undefined {
  if (limits.cost !== undefined && (spent.cost ?? 0) >= limits.cost)
    return `the session has cost ${limits.cost} US dollars`
  if (state.steps >= limits.steps) return `${limits.steps} steps`
  if (state.tokens >= limits.tokens) return `${limits.tokens} tokens`
  return undefined
}

async function stopAtLimit(context: TurnContext, limit: string): Promise<StopReason> {
  await context.ports.emit({ type: 'notice', text: `The turn stopped after ${limit}.` })
  return 'max_turn_requests'
}

function requestOf(context: TurnContext, state: State): ModelRequest {
  const { system, effort } = context
  const messages = [...context.conversation.messages]
  return {
    system,
    messages,
    tools: offeredTools(context).map((tool) => tool.spec),
    ...(effort === undefined ? {} : { effort }),
    ...(state.continuations === 0 ? {} : { maxTokens: RAISED_MAX_TOKENS }),
  }
}

async function takeUsage(context: TurnContext, state: State, reply: Reply): Promise<void> {
  if (reply.usage === undefined) return
  const { input, cacheRead, cacheWrite, output } = reply.usage
  const used = input + cacheRead + cacheWrite + output
  state.tokens += used
  const { model, spent } = context
  const cost = costOf(model.name, reply.usage)
  if (cost !== undefined) spent.cost = (spent.cost ?? 0) + cost
  const size = model.contextWindow
  await context.ports.emit({ type: 'usage', used, size, cost: spent.cost })
}

/** What the reply asks for; a stop reason when that ends the turn. */
async function afterReply(
  context: TurnContext,
  state: State,
  reply: Reply,
): Promise<StopReason | undefined> {
  const whole = reply.stop === 'max-tokens' ? withoutCutCalls(reply.parts) : reply.parts
  const parts = withUniqueCallIds(whole, context.conversation.messages)
  if (parts.length > 0) context.conversation.add({ role: 'assistant', parts })
  state.partial.text = ''
  if (reply.stop === 'refusal') return 'refusal'
  const calls = parts.filter((part) => part.type === 'tool-call')
  if (calls.length > 0) return await takeCalls(context, state, calls)
  if (reply.stop === 'pause') return undefined
  return reply.stop === 'max-tokens' ? goOn(context, state) : 'end_turn'
}

/** The last call of a reply that was cut off may be half a call. */
function withoutCutCalls(parts: Reply['parts']): Reply['parts'] {
  return parts.filter((part) => part.type !== 'tool-call' || part.notJson === undefined)
}

function goOn(context: TurnContext, state: State): StopReason | undefined {
  if (state.continuations === CONTINUATIONS) return 'max_tokens'
  state.continuations += 1
  const text = 'Your reply was cut off at the output limit. Go on exactly where it stopped.'
  context.conversation.add({ role: 'user', parts: [reminder(text)] })
  return undefined
}

async function takeCalls(
  context: TurnContext,
  state: State,
  calls: ToolCallPart[],
): Promise<StopReason | undefined> {
  for (const call of calls) {
    const text = JSON.stringify([call.name, call.input, call.notJson])
    state.repeats = text === state.lastCall ? state.repeats + 1 : 1
    state.lastCall = text
    if (state.repeats === SAME_CALLS)
      return await stopAtLimit(context, `${SAME_CALLS} identical calls in a row`)
  }
  const { results, stopped, say } = await runToolCalls(context, calls)
  context.conversation.add({ role: 'tools', results })
  state.stopped.push(...stopped)
  if (context.signal.aborted) return 'cancelled'
  if (say.length === 0) return undefined
  await sayLast(context, say.join('\n\n'))
  return 'end_turn'
}

/** Words that stand where the model's last ones would. */
async function sayLast(context: TurnContext, text: string): Promise<void> {
  context.conversation.add({ role: 'assistant', parts: [{ type: 'text', text }] })
  await context.ports.emit({ type: 'text', text, messageId: randomUUID() })
}

/** Names what the cancel stopped, to the user and, with what was said so far, to the model. */
async function cancelled(context: TurnContext, state: State): Promise<StopReason> {
  const { conversation, ports } = context
  if (state.partial.text !== '')
    conversation.add({ role: 'assistant', parts: [{ type: 'text', text: state.partial.text }] })
  const note = reminder('The user cancelled the turn at this point.')
  conversation.add({ role: 'user', parts: [note] })
  const lines =
    state.stopped.length === 0
      ? ['The turn was cancelled.']
      : state.stopped.map((title) => `${title} cancelled.`)
  for (const text of lines) await ports.emit({ type: 'notice', text })
  return 'cancelled'
}
