/** The calls of one reply: those that only read beside each other, the others one by one. */
import type { ToolCallPart, ToolResultPart } from '../model/model.ts'
import type { Tool } from '../tools/tool.ts'
import { runCall } from './call.ts'
import type { CallContext } from './call.ts'

export type CallResults = {
  /** In the order of the calls. */
  results: ToolResultPart[]
  /** Titles of the calls that a cancel stopped. */
  stopped: string[]
  /** Words with which a call ends the turn. */
  say: string[]
}

export async function runToolCalls(
  context: CallContext,
  calls: ToolCallPart[],
): Promise<CallResults> {
  const results: ToolResultPart[] = []
  const stopped: string[] = []
  const say: string[] = []
  for (const group of groupsOf(calls, context.tools)) {
    if (context.signal.aborted) {
      results.push(...group.map(notRun))
      continue
    }
    const outcomes = await Promise.all(group.map((call) => runCall(context, call)))
    results.push(...outcomes.map((outcome) => outcome.result))
    stopped.push(...outcomes.flatMap((outcome) => outcome.stopped ?? []))
    say.push(...outcomes.flatMap((outcome) => outcome.say ?? []))
  }
  return { results, stopped, say }
}

/** Neighbours that only read form one group. */
function groupsOf(calls: ToolCallPart[], tools: readonly Tool[]): ToolCallPart[][] {
  const groups: { reads: boolean; calls: ToolCallPart[] }[] = []
  for (const call of calls) {
    const reads = tools.find((tool) => tool.name === call.name)?.readOnly ?? true
    const last = groups.at(-1)
    if (last?.reads === true && reads) last.calls.push(call)
    else groups.push({ reads, calls: [call] })
  }
  return groups.map((group) => group.calls)
}

function notRun(call: ToolCallPart): ToolResultPart {
  return { callId: call.id, text: 'Not run: the user cancelled the turn.', failed: true }
}
