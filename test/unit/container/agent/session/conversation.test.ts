import { expect, test } from 'vitest'

import type { Message } from '../../../../../container/agent/model/model.ts'
import { closeOpenCalls } from '../../../../../container/agent/session/conversation.ts'

const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool-call', id, name: 't', input: {} })),
})
const results = (...ids: string[]): Message => ({
  role: 'tools',
  results: ids.map((callId) => ({ callId, text: 'x', failed: true })),
})
const user: Message = { role: 'user', parts: [{ type: 'text', text: 'hi' }] }

test('calls without a result get one, right behind them', () => {
  const messages = [user, calls('1'), user, calls('2', '3'), results('2'), calls('4'), results('4')]
  expect(closeOpenCalls(messages, 'x')).toEqual([
    user,
    calls('1'),
    results('1'),
    user,
    calls('2', '3'),
    results('3'),
    results('2'),
    calls('4'),
    results('4'),
  ])
})
