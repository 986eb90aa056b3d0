/** One tool call, from the model's words to a result: plan, judge, prepare, ask, run. */
import type { ToolCallPart, ToolResultPart } from '../model/model.ts'
import { decide } from '../permission/decide.ts'
import type { Rules } from '../permission/decide.ts'
import type { Mode } from '../permission/modes.ts'
import { narrowRule, ruleText } from '../permission/rules.ts'
import type { Subject } from '../permission/rules.ts'
import type { Place } from '../tools/place.ts'
import { ToolFailure } from '../tools/tool.ts'
import type { FormQuestion, PlannedCall, Prepared, Tool, ToolResult } from '../tools/tool.ts'
import { oneLine } from '../visible.ts'
import type { CallEntry, TurnPorts } from './events.ts'

export type CallContext = {
  tools: readonly Tool[]
  place: Place
  /** May change within the turn, when the user approves a plan. */
  mode: Mode
  leavePlan: () => Promise<Mode>
  /** Grows by the answers "for this session". */
  rules: Rules
  ports: TurnPorts
  signal: AbortSignal
  /** For the log; never shown. */
  report: (error: unknown) => void
}

/** `stopped` is the call's title when a cancel ended it; `say` ends the turn with these words. */
export type CallOutcome = { result: ToolResultPart; stopped?: string; say?: string }

/** The tools there are in the mode of this moment. */
export function offeredTools({ tools, mode }: Pick<CallContext, 'tools' | 'mode'>): Tool[] {
  return tools.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === mode)
}

/** How long a running call may take to report after a cancel, in milliseconds. */
const SETTLE = 3_000

/** Never rejects: every failure is a result that the model can read. */
export async function runCall(context: CallContext, call: ToolCallPart): Promise<CallOutcome> {
  const tool = offeredTools(context).find((candidate) => candidate.name === call.name)
  const entry = unknownEntry(call, tool)
  let begun = false
  const begin = async () => {
    begun = true
    await context.ports.emit({ type: 'call', ...entry })
  }
  try {
    const planned = await plan(context, call, tool)
    Object.assign(entry, entryOf(planned))
    await begin()
    const prepared = await permit(context, call, planned, entry)
    const result = await runToEnd(context, call, prepared)
    return await end(context, call, entry, result)
  } catch (error) {
    if (!begun) await begin()
    return await end(context, call, entry, failureOf(error, context))
  }
}

function unknownEntry(call: ToolCallPart, tool: Tool | undefined): CallEntry {
  const title = oneLine(call.name)
  const { id } = call
  return { id, title, kind: tool?.kind ?? 'other', locations: [], content: [], input: call.input }
}

function entryOf(planned: PlannedCall): Partial<CallEntry> {
  const { title, kind, locations, card = [] } = planned
  return { title: oneLine(title), kind, locations, content: card }
}

async function plan(
  context: CallContext,
  call: ToolCallPart,
  tool: Tool | undefined,
): Promise<PlannedCall> {
  if (tool === undefined) {
    const names = offeredTools(context)
      .map(({ name }) => name)
      .join(', ')
    throw new ToolFailure(`There is no tool ${JSON.stringify(call.name)}. The tools: ${names}.`)
  }
  if (call.notJson !== undefined)
    throw new ToolFailure(`The input of ${call.name} was not JSON: ${call.notJson.slice(0, 500)}`)
  return await tool.plan(call.input, context.place)
}

/** Judges, prepares and, where the judgement is to ask, asks. */
async function permit(
  context: CallContext,
  call: ToolCallPart,
  planned: PlannedCall,
  entry: CallEntry,
): Promise<Prepared> {
  const { need } = planned
  const subject: Subject = { tool: call.name, need, realRoot: context.place.realRoot }
  const judgement = decide(subject, context.mode, context.rules)
  if (judgement.outcome === 'deny') throw denied(judgement.reason)
  const prepared = await planned.prepare()
  if (judgement.outcome === 'ask') await ask(context, subject, { ...entry, ...seen(prepared) })
  return prepared
}

function seen(prepared: Prepared): Partial<CallEntry> {
  const { preview: content, locations } = prepared
  return locations === undefined ? { content } : { content, locations }
}

async function ask(context: CallContext, subject: Subject, entry: CallEntry): Promise<void> {
  const rule = narrowRule(subject)
  const question = { ...entry, rule: ruleText(rule) }
  const answer = await context.ports.ask(question, context.signal)
  if (answer.session) context.rules[answer.allowed ? 'allow' : 'deny'].push(rule)
  if (!answer.allowed) throw denied(answer.reason)
}

function denied(reason: string): ToolFailure {
  return new ToolFailure(`Permission denied: ${reason}.`)
}

async function runToEnd(
  context: CallContext,
  call: ToolCallPart,
  prepared: Prepared,
): Promise<ToolResult> {
  const { signal, ports } = context
  signal.throwIfAborted()
  const where = prepared.locations === undefined ? {} : { locations: prepared.locations }
  await ports.emit({ type: 'call-started', id: call.id, ...where })
  let ended = false
  const progress = (output: string) => {
    if (!ended) void ports.emit({ type: 'call-output', id: call.id, output })
  }
  try {
    const form = formFor(context, call)
    return await settled(prepared.run({ signal, progress, form }), signal)
  } finally {
    ended = true
  }
}

function formFor({ ports, signal }: CallContext, call: ToolCallPart) {
  const { form } = ports
  if (form === undefined) return undefined
  return (questions: FormQuestion[]) => form(call.id, questions, signal)
}

/** The run's outcome, or the signal's reason when it takes too long to come after a cancel. */
async function settled(run: Promise<ToolResult>, signal: AbortSignal): Promise<ToolResult> {
  const tooLate = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    timer = setTimeout(() => tooLate.reject(signal.reason), SETTLE)
  }
  signal.addEventListener('abort', wait, { once: true })
  try {
    return await Promise.race([run, tooLate.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', wait)
  }
}

function failureOf(error: unknown, context: CallContext): ToolResult {
  if (error instanceof ToolFailure) return { text: error.message, failed: true }
  if (!context.signal.aborted) context.report(error)
  return { text: 'The tool failed unexpectedly.', failed: true }
}

/** Tells how the call ended; after a cancel it ended `failed`, whatever it returned. */
async function end(
  context: CallContext,
  call: ToolCallPart,
  entry: CallEntry,
  result: ToolResult,
): Promise<CallOutcome> {
  const cancelled = context.signal.aborted
  const said = result.raw === undefined ? '' : `${result.text}\n`
  const text = cancelled ? `${said}Cancelled.` : result.text
  const failed = cancelled || result.failed
  const content = shown(result, cancelled, text)
  await context.ports.emit({
    type: 'call-ended',
    id: call.id,
    failed,
    content,
    raw: rawOf(result, text),
  })
  if (!failed) await followUp(context, result)
  const images = result.images === undefined ? {} : { images: result.images }
  const outcome: CallOutcome = { result: { callId: call.id, text, failed, ...images } }
  if (cancelled) return { ...outcome, stopped: entry.title }
  return result.ends === undefined ? outcome : { ...outcome, say: result.ends.say }
}

/** What a result changes beside itself. */
async function followUp(context: CallContext, result: ToolResult): Promise<void> {
  const { plan: entries, leavesPlan } = result
  if (entries !== undefined) await context.ports.emit({ type: 'plan', entries })
  if (leavesPlan === true) context.mode = await context.leavePlan()
}

function shown(result: ToolResult, cancelled: boolean, text: string) {
  const own = result.show ?? [{ type: 'text' as const, text: result.text }]
  if (!cancelled) return own
  const terminal = own.filter((piece) => piece.type === 'terminal')
  return [...terminal, { type: 'text' as const, text: terminal.length > 0 ? 'Cancelled.' : text }]
}

function rawOf(result: ToolResult, text: string): unknown {
  return result.raw ?? { text }
}
