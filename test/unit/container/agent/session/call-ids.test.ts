import { expect, test } from 'vitest'

import type { AssistantPart } from '../../../../../container/agent/model/model.ts'
import { withUniqueCallIds } from '../../../../../container/agent/session/call-ids.ts'

const call = (id: string): AssistantPart => ({ type: 'tool-call', id, name: 't', input: {} })
const text: AssistantPart = { type: 'text', text: 'a' }

test('ids that were taken before, in this reply or an earlier one, get a number; empty ones a name', () => {
  const before = [{ role: 'assistant' as const, parts: [call('a'), call('b-2')] }]
  const parts = [text, call('a'), call('b'), call('b'), call('c'), call(''), call('')]
  expect(withUniqueCallIds(parts, before)).toEqual([
    text,
    ...['a-2', 'b', 'b-3', 'c', 'call', 'call-2'].map(call),
  ])
})
