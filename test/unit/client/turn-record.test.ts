import { expect, test } from 'vitest'

import { createTurnRecord, outputOf } from '../../../src/client/turn-record.ts'

test('Fields that an update does not name stay, lists that it names are replaced', () => {
  const record = createTurnRecord()
  record.apply({
    sessionUpdate: 'tool_call',
    toolCallId: '1',
    title: 'Read a',
    kind: 'read',
    locations: [{ path: '/a' }],
  })
  const content = [{ type: 'content' as const, content: { type: 'text' as const, text: 'x' } }]
  record.apply({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'completed', content })
  const [call] = record.toolCalls
  expect(call).toMatchObject({
    title: 'Read a',
    kind: 'read',
    status: 'completed',
    locations: ['/a'],
  })
  expect(call === undefined ? '' : outputOf(call)).toBe('x')
})

test('An update of a call that was never announced still makes one', () => {
  const record = createTurnRecord()
  record.apply({ sessionUpdate: 'tool_call_update', toolCallId: '9', status: 'failed' })
  expect(record.toolCalls).toMatchObject([{ toolCallId: '9', status: 'failed', kind: 'other' }])
})

test('The text is what was said, without thoughts', () => {
  const record = createTurnRecord()
  const content = { type: 'text' as const, text: 'a' }
  record.apply({ sessionUpdate: 'agent_thought_chunk', content })
  record.apply({ sessionUpdate: 'agent_message_chunk', content: { ...content, text: 'b' } })
  expect(record.text).toBe('b')
})
