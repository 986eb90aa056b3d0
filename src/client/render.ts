/** Shows a turn on a terminal: text as it streams, and a line or more for what the agent does. */
import type {
  ContentBlock,
  Notice,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk'

import type { Paint } from './colour.ts'
import { diffLines } from './line-diff.ts'
import { createTurnRecord, outputOf } from './turn-record.ts'
import type { ToolCallRecord, TurnRecord } from './turn-record.ts'
import { visible, visibleJson, visibleLine } from './visible.ts'

export type Screen = {
  /** Takes what the agent says. */
  text: (chunk: string) => void
  /** Takes everything else; whole lines. */
  activity: (lines: string) => void
  paint: Paint
}

export type Renderer = {
  readonly record: TurnRecord
  update: (update: SessionUpdate) => void
  question: (request: RequestPermissionRequest) => void
  /** Ends an open line. */
  end: () => void
}

const DIFF_LIMIT = 40
const ENDED = new Set(['completed', 'failed'])
/** A question shows nearly all of what it is about. */
const QUESTION_LIMIT = 400
const OUTPUT_LIMIT = 15

export function createRenderer(screen: Screen): Renderer {
  const record = createTurnRecord()
  const statuses = new Map<string, string>()
  const asked = new Set<string>()
  let open: 'text' | 'activity' | undefined

  const end = () => {
    if (open !== undefined) screen[open]('\n')
    open = undefined
  }
  const lines = (shown: string[]) => {
    end()
    if (shown.length > 0) screen.activity(`${shown.join('\n')}\n`)
  }
  const stream = (where: 'text' | 'activity', chunk: string) => {
    if (chunk === '') return
    if (open !== where) end()
    const shown = visible(chunk)
    screen[where](where === 'text' ? shown : screen.paint('faint', shown))
    open = shown.endsWith('\n') ? undefined : where
  }
  return {
    record,
    end,
    update(update) {
      const call = record.apply(update)
      if (call !== undefined) {
        const before = statuses.get(call.toolCallId)
        statuses.set(call.toolCallId, call.status)
        // A call is shown when it comes up and when it has ended.
        if (before === call.status || (before !== undefined && !ENDED.has(call.status))) return
        lines(callLines(call, asked.has(call.toolCallId), screen.paint))
      } else if (update.sessionUpdate === 'agent_message_chunk') {
        stream('text', textOf(update.content))
      } else if (update.sessionUpdate === 'agent_thought_chunk') {
        stream('activity', textOf(update.content))
      } else lines(otherLines(update, screen.paint))
    },
    question(request) {
      asked.add(request.toolCall.toolCallId)
      const call = record.apply({ ...request.toolCall, sessionUpdate: 'tool_call_update' })
      if (call !== undefined) lines(questionLines(call, screen.paint))
    },
  }
}

function callLines(call: ToolCallRecord, wasAsked: boolean, paint: Paint): string[] {
  const name = `[${call.kind}] ${visibleLine(call.title)}`
  if (!ENDED.has(call.status)) return [`${paint('name', '▸')} ${name}`]
  const failed = call.status === 'failed'
  const mark = failed ? paint('bad', '✖') : paint('good', '✔')
  const head = `${mark} ${name}: ${visibleLine(call.status)}`
  const shown = wasAsked ? [] : diffsOf(call, DIFF_LIMIT, paint)
  return [head, ...shown, ...(failed || call.kind === 'execute' ? tailOf(call, paint) : [])]
}

function questionLines(call: ToolCallRecord, paint: Paint): string[] {
  const diffs = diffsOf(call, QUESTION_LIMIT, paint)
  const raw = call.rawInput === undefined ? [] : [`  ${visibleJson(call.rawInput).slice(0, 4000)}`]
  const detail = diffs.length > 0 ? diffs : raw
  return [
    `${paint('name', '?')} The agent asks: [${call.kind}] ${visibleLine(call.title)}`,
    ...detail,
  ]
}

function diffsOf(call: ToolCallRecord, limit: number, paint: Paint): string[] {
  return call.content.flatMap((part) => {
    if (part.type !== 'diff') return []
    const lines = diffLines(part.oldText ?? '', part.newText)
    const shown = lines.slice(0, limit).map(({ sign, text, line }) => {
      const row = `  ${sign} ${String(line).padStart(4)}  ${visible(text)}`
      return sign === ' ' ? row : paint(sign === '+' ? 'added' : 'removed', row)
    })
    const rest = lines.length - shown.length
    return [
      `  ${paint('name', visibleLine(part.path))}`,
      ...shown,
      ...(rest > 0 ? [`  … ${rest} more lines of this change are not shown`] : []),
    ]
  })
}

function tailOf(call: ToolCallRecord, paint: Paint): string[] {
  const lines = visible(outputOf(call)).trimEnd().split('\n')
  if (lines.length === 1 && lines[0] === '') return []
  const shown = lines.slice(-OUTPUT_LIMIT)
  const rest = lines.length - shown.length
  const head = rest > 0 ? [`… ${rest} lines before`] : []
  return [...head, ...shown].map((line) => paint('faint', `  │ ${line}`))
}

const PLAN_MARKS: Record<string, string> = { completed: '[x]', in_progress: '[~]', pending: '[ ]' }

/** Plans and notices; what a client keeps to itself, such as the list of commands, shows nothing. */
function otherLines(update: SessionUpdate, paint: Paint): string[] {
  if (update.sessionUpdate === 'notice') return noticeLines(update, paint)
  if (update.sessionUpdate !== 'plan') return []
  return update.entries.map(
    ({ status, content }) => `${PLAN_MARKS[status] ?? '[ ]'} ${visibleLine(content)}`,
  )
}

function noticeLines(notice: Notice, paint: Paint): string[] {
  const { severity, title, description } = notice
  const style = severity === 'error' ? 'bad' : 'faint'
  const more = description === undefined || description === null ? '' : ` ${description}`
  return [paint(style, visibleLine(`${severity}: ${title}${more}`, 1000))]
}

function textOf(content: ContentBlock): string {
  return content.type === 'text' ? content.text : `[${content.type}]`
}
