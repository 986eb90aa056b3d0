import { expect, test } from 'vitest'

import { parseFrame, type Frame, type ResponseFrame } from '../../../src/acp/frame.ts'
import { recordOfAgent, recordOfAnswer } from '../../../src/session/agent-record.ts'

const frame = (message: object): Frame =>
  parseFrame(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))) as Frame
const update = (sessionUpdate: string) =>
  frame({
    method: 'session/update',
    params: { update: { sessionUpdate, toolCallId: 'c', title: 'Read', kind: 'read', more: 1 } },
  })

test('a tool call is recorded when it begins, and no other update', () => {
  const data = { toolCall: 'c', title: 'Read', kind: 'read' }
  expect(recordOfAgent(update('tool_call'))).toEqual({ type: 'tool_call', data })
  expect(recordOfAgent(update('tool_call_update'))).toBeUndefined()
})

test('a question for permission is recorded with its call', () => {
  const params = { toolCall: { toolCallId: 'c', title: 'Write' } }
  const asked = frame({ id: 1, method: 'session/request_permission', params })
  const data = { toolCall: 'c', title: 'Write' }
  expect(recordOfAgent(asked)).toEqual({ type: 'permission.asked', data })
})

test.for([
  [{ outcome: { outcome: 'selected', optionId: 'allow' } }, 'allow'],
  [{ outcome: { outcome: 'cancelled' } }, 'cancelled'],
  [{ outcome: 'allow' }, 'invalid'],
] as const)('the answer %j is recorded as %s', ([result, outcome]) => {
  const answer = frame({ id: 1, result }) as ResponseFrame
  expect(recordOfAnswer(answer)).toEqual({ type: 'permission.answer', data: { outcome } })
})

test('an answer to something else is not recorded', () => {
  expect(recordOfAnswer(frame({ id: 1, result: {} }) as ResponseFrame)).toBeUndefined()
})
