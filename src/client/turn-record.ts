/** What happened in a turn, folded from the agent's updates. */
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'

export type ToolCallRecord = {
  toolCallId: string
  title: string
  kind: string
  status: string
  /** Absolute paths. */
  locations: string[]
  content: ToolCallContent[]
  rawInput?: unknown
}

export type TurnRecord = {
  /** What the agent said, without its thoughts. */
  readonly text: string
  readonly toolCalls: ToolCallRecord[]
  /** The last usage_update: tokens in the context, its size, and the cost where known. */
  readonly usage: Record<string, unknown> | undefined
  /** Returns the tool call an update belongs to, as it is after the update. */
  apply(update: SessionUpdate): ToolCallRecord | undefined
}

export function createTurnRecord(): TurnRecord {
  const calls = new Map<string, ToolCallRecord>()
  const said: string[] = []
  let usage: Record<string, unknown> | undefined
  return {
    get text() {
      return said.join('')
    },
    get toolCalls() {
      return [...calls.values()]
    },
    get usage() {
      return usage
    },
    apply(update) {
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        said.push(update.content.text)
      if (update.sessionUpdate === 'usage_update') {
        const { sessionUpdate: _, _meta: __, ...figures } = update
        usage = figures
      }
      if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update')
        return undefined
      const call = folded(calls.get(update.toolCallId), update)
      calls.set(call.toolCallId, call)
      return call
    },
  }
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>

/** A field that an update does not name keeps its value; a list that it names is replaced. */
function folded(known: ToolCallRecord | undefined, update: CallUpdate): ToolCallRecord {
  const before = known ?? { ...EMPTY, toolCallId: update.toolCallId }
  const rawInput = update.rawInput ?? before.rawInput
  return {
    toolCallId: update.toolCallId,
    title: update.title ?? before.title,
    kind: update.kind ?? before.kind,
    status: update.status ?? before.status,
    locations: update.locations?.map(({ path }) => path) ?? before.locations,
    content: update.content ?? before.content,
    ...(rawInput === undefined ? {} : { rawInput }),
  }
}

const EMPTY = { title: '', kind: 'other', status: 'pending', locations: [], content: [] }

/** The text an update carries as its result. */
export function outputOf(call: ToolCallRecord): string {
  return call.content
    .flatMap((part) =>
      part.type === 'content' && part.content.type === 'text' ? part.content.text : [],
    )
    .join('\n')
}
