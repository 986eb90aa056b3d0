/** What `glovebox run` prints, in each of its three forms. */
import type {
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionUpdate,
} from '@agentclientprotocol/sdk'

import type { Paint } from './colour.ts'
import { answerName } from './permission.ts'
import { createRenderer } from './render.ts'
import type { PromptResult } from './run-prompt.ts'
import { createTurnRecord, outputOf } from './turn-record.ts'
import type { ToolCallRecord, TurnRecord } from './turn-record.ts'
import { visibleJson, visibleLine } from './visible.ts'

export type Reporter = {
  update: (update: SessionUpdate) => void
  question: (request: RequestPermissionRequest) => void
  answered: (request: RequestPermissionRequest, outcome: RequestPermissionOutcome) => void
  done: (result: PromptResult) => void
  failed: (sentence: string) => void
}

type Output = { write: (text: string) => unknown }
type Streams = { stdout: Output; stderr: Output }

/** The agent's words on stdout, all else on stderr. */
export function textReporter({ stdout, stderr }: Streams, paint: Paint): Reporter {
  const screen = createRenderer({
    text: (chunk) => void stdout.write(chunk),
    activity: (lines) => void stderr.write(lines),
    paint,
  })
  return {
    update: screen.update,
    question: screen.question,
    answered: ({ options }, outcome) => {
      stderr.write(`  → ${visibleLine(answerName(options, outcome).name)}\n`)
    },
    done: ({ stopReason }) => {
      screen.end()
      if (stopReason !== 'end_turn') stderr.write(`glovebox: stopped: ${visibleLine(stopReason)}\n`)
    },
    failed: (sentence) => {
      screen.end()
      stderr.write(`glovebox: ${sentence}\n`)
    },
  }
}

/** One object on stdout at the end. */
export function jsonReporter({ stdout }: Streams): Reporter {
  const record = createTurnRecord()
  const permissions: Permission[] = []
  const print = (fields: object) =>
    void stdout.write(`${visibleJson({ ...fields, ...summaryOf(record), permissions })}\n`)
  return {
    update: (update) => void record.apply(update),
    question: () => undefined,
    answered: (request, outcome) => void permissions.push(permissionOf(request, outcome)),
    done: print,
    failed: (error) => print({ error }),
  }
}

/** One object a line as it happens; the last one is the result. */
export function streamReporter({ stdout }: Streams): Reporter {
  const record = createTurnRecord()
  const permissions: Permission[] = []
  const print = (type: string, fields: object) =>
    void stdout.write(`${visibleJson({ type, ...fields })}\n`)
  return {
    update: (update) => {
      record.apply(update)
      print('update', { update })
    },
    question: ({ toolCall, options }) => print('question', { toolCall, options }),
    answered: (request, outcome) => {
      const permission = permissionOf(request, outcome)
      permissions.push(permission)
      print('answer', permission)
    },
    done: (result) => print('result', { ...result, ...summaryOf(record), permissions }),
    failed: (error) => print('result', { error, ...summaryOf(record), permissions }),
  }
}

type Permission = { toolCallId: string; title: string; answer: string }

function permissionOf(
  { toolCall, options }: RequestPermissionRequest,
  outcome: RequestPermissionOutcome,
): Permission {
  const { toolCallId, title } = toolCall
  return { toolCallId, title: title ?? '', answer: answerName(options, outcome).kind }
}

function summaryOf(record: TurnRecord): object {
  return {
    text: record.text,
    toolCalls: record.toolCalls.map(summaryOfCall),
    ...(record.usage === undefined ? {} : { usage: record.usage }),
  }
}

function summaryOfCall(call: ToolCallRecord): object {
  const { toolCallId, title, kind, status, locations } = call
  return { toolCallId, title, kind, status, locations, output: outputOf(call) }
}
