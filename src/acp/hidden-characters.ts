/**
 * What a user decides by must be what it looks like: control, bidirectional and invisible characters
 * in the words of a question or of a tool call are written out. Pure.
 */
import { visible } from '../client/visible.ts'
import { isRecord, paramsRecord, type NotificationFrame, type RequestFrame } from './frame.ts'

const WARNING = '⚠ hidden characters are shown: '

/**
 * The members of `params` that must be replaced, as JSON; none when nothing was hidden. A question's
 * title then begins with a warning.
 */
export function revealed(frame: RequestFrame | NotificationFrame): Record<string, string> {
  if (frame.method === 'session/request_permission') {
    return isPlain(frame.bytes) ? {} : ofQuestion(paramsRecord(frame))
  }
  if (frame.method === 'elicitation/create') return ofForm(frame)
  if (frame.method !== 'session/update') return {}
  const { update } = paramsRecord(frame)
  return isRecord(update) && TOLD.has(update['sessionUpdate']) && !isPlain(frame.bytes)
    ? ofUpdate(update)
    : {}
}

function ofForm(frame: RequestFrame | NotificationFrame): Record<string, string> {
  const { message } = paramsRecord(frame)
  const written = shown(message)
  return differs(message, written) ? { message: JSON.stringify(written) } : {}
}

const TOLD = new Set<unknown>(['tool_call', 'tool_call_update'])

/** Nothing but printable ASCII, and no escape that could stand for more. */
const isPlain = (bytes: Buffer): boolean => !/[\x7f-\xff]|\\[ubf]/.test(bytes.toString('latin1'))

function ofQuestion({ toolCall, options }: Record<string, unknown>): Record<string, string> {
  const call = isRecord(toolCall) ? { ...toolCall, ...words(toolCall) } : toolCall
  // Ids stay as they are: the answer names them.
  const shownOptions = Array.isArray(options)
    ? options.map((one: unknown) => (isRecord(one) ? { ...one, ...only(one, 'name') } : one))
    : options
  const [callChanged, optionsChanged] = [differs(toolCall, call), differs(options, shownOptions)]
  if (!callChanged && !optionsChanged) return {}
  const warned = isRecord(call) ? { ...call, title: `${WARNING}${textOf(call['title'])}` } : call
  return {
    ...(warned === undefined ? {} : { toolCall: JSON.stringify(warned) }),
    ...(optionsChanged ? { options: JSON.stringify(shownOptions) } : {}),
  }
}

/** A tool call's title and input; its output, text and thoughts are the agent's own words. */
function ofUpdate(update: Record<string, unknown>): Record<string, string> {
  const changed = { ...update, ...words(update) }
  return differs(update, changed) ? { update: JSON.stringify(changed) } : {}
}

/** What a user reads of a tool call before it runs. */
const words = (call: Record<string, unknown>): Record<string, unknown> => ({
  ...only(call, 'title'),
  ...only(call, 'rawInput'),
})

const only = (of: Record<string, unknown>, name: string): Record<string, unknown> =>
  of[name] === undefined ? {} : { [name]: shown(of[name]) }

/** Every text in a value with its hidden characters written out; keys too. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map(shown)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [visible(key), shown(one)]))
}

const differs = (before: unknown, after: unknown): boolean =>
  JSON.stringify(before) !== JSON.stringify(after)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
