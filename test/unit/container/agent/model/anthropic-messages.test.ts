import { expect, test } from 'vitest'

import { anthropicMessages } from '../../../../../container/agent/model/anthropic-messages.ts'

const MARK = { cache_control: { type: 'ephemeral' } }

test('neighbours of one role are one message, blank text is left out, the last block is marked', () => {
  expect(
    anthropicMessages([
      { role: 'user', parts: [{ type: 'text', text: 'a' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'text', text: '' }] },
      { role: 'assistant', parts: [{ type: 'tool-call', id: '1', name: 't', input: { x: 1 } }] },
      { role: 'tools', results: [{ callId: '1', text: '', failed: true }] },
      { role: 'user', parts: [{ type: 'text', text: 'c' }] },
    ]),
  ).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 't', input: { x: 1 } }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: '1',
          content: [{ type: 'text', text: '(no output)' }],
          is_error: true,
        },
        { type: 'text', text: 'c', ...MARK },
      ],
    },
  ])
})

test('thinking goes back with its seal, and without one not at all', () => {
  const [message] = anthropicMessages([
    {
      role: 'assistant',
      parts: [
        { type: 'thinking', text: 'unsealed' },
        { type: 'thinking', text: 'sealed', seal: { signature: 's' } },
        { type: 'thinking', text: '', seal: { redacted: 'r' } },
      ],
    },
  ])
  expect(message?.content).toEqual([
    { type: 'thinking', thinking: 'sealed', signature: 's' },
    { type: 'redacted_thinking', data: 'r' },
  ])
})

test.for([
  [{ input: {}, notJson: '{"a' }, { not_json: '{"a' }],
  [{ input: [1] }, { value: [1] }],
  [{ input: null }, { value: null }],
] as const)('the input %j goes back as the object %j', ([call, expected]) => {
  const [message] = anthropicMessages([
    { role: 'assistant', parts: [{ type: 'tool-call', id: '1', name: 't', ...call }] },
  ])
  expect(message?.content[0]).toMatchObject({ input: expected })
})
