import { expect, test } from 'vitest'

import { chatMessages } from '../../../../../container/agent/model/openai-chat-messages.ts'

const PNG = { type: 'image' as const, mimeType: 'image/png', data: 'AAAA' }
const PNG_URL = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

test('images of the user stand beside text, images of tools follow all results', () => {
  expect(
    chatMessages('sys', [
      { role: 'user', parts: [{ type: 'text', text: 'see' }, PNG] },
      {
        role: 'tools',
        results: [
          { callId: '1', text: 'pic', failed: false, images: [PNG] },
          { callId: '2', text: '', failed: false },
        ],
      },
    ]),
  ).toEqual([
    { role: 'system', content: 'sys' },
    { role: 'user', content: [{ type: 'text', text: 'see' }, PNG_URL] },
    { role: 'tool', tool_call_id: '1', content: 'pic' },
    { role: 'tool', tool_call_id: '2', content: '(no output)' },
    { role: 'user', content: [PNG_URL] },
  ])
})

test('calls without text have null content, and an input that was no JSON goes back as it was', () => {
  expect(
    chatMessages('sys', [
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'hm' },
          { type: 'tool-call', id: '1', name: 't', input: {}, notJson: '{"a' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'thinking', text: 'only' }] },
    ]).slice(1),
  ).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 't', arguments: '{"a' } }],
    },
  ])
})
