/** Which frames between an agent and the editor go into the audit log, and what of them. Pure. */
import { isRecord, paramsRecord, type Frame, type ResponseFrame } from '../acp/frame.ts'
import type { AuditData, AuditType } from '../audit/record.ts'

type Found = { type: AuditType; data: AuditData }

/** The agent's questions for permission, and its tool calls. */
export function recordOfAgent(frame: Frame): Found | undefined {
  if (frame.kind === 'response') return undefined
  const params = paramsRecord(frame)
  if (frame.method === 'session/request_permission') {
    const call = isRecord(params['toolCall']) ? params['toolCall'] : {}
    return {
      type: 'permission.asked',
      data: { toolCall: call['toolCallId'], title: call['title'] },
    }
  }
  const update = isRecord(params['update']) ? params['update'] : {}
  if (frame.method !== 'session/update' || update['sessionUpdate'] !== 'tool_call') return undefined
  const { toolCallId, title, kind } = update
  return { type: 'tool_call', data: { toolCall: toolCallId, title, kind } }
}

/** The editor's answer to a question for permission. */
export function recordOfAnswer(frame: ResponseFrame): Found | undefined {
  const result = frame.message['result']
  const outcome = isRecord(result) ? result['outcome'] : undefined
  if (outcome === undefined) return undefined
  return { type: 'permission.answer', data: { outcome: outcomeOf(outcome) } }
}

function outcomeOf(outcome: unknown): string {
  if (!isRecord(outcome)) return 'invalid'
  return outcome['outcome'] === 'selected'
    ? String(outcome['optionId'])
    : String(outcome['outcome'])
}
