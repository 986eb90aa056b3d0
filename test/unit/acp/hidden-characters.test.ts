import { expect, test } from 'vitest'

import { parseFrame } from '../../../src/acp/frame.ts'
import { revealed } from '../../../src/acp/hidden-characters.ts'

const OPTIONS = [{ optionId: 'a', name: 'Allow', kind: 'allow_once' }]

function asked(toolCall: object, options: object[] = OPTIONS): Record<string, unknown> {
  return changedBy('session/request_permission', { sessionId: 's', toolCall, options }, 1)
}

function changedBy(method: string, params: object, id?: number): Record<string, unknown> {
  const frame = parseFrame(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })))
  if (frame.kind === 'invalid' || frame.kind === 'response') throw new Error(frame.kind)
  const members = Object.entries(revealed(frame))
  return Object.fromEntries(members.map(([name, json]) => [name, JSON.parse(json)]))
}

test.for([
  ['a bidirectional override', '\u202e', '\\u{202e}'],
  ['an isolate', '\u2066', '\\u{2066}'],
  ['a zero-width space', '\u200b', '\\u{200b}'],
  ['a tag character', '\u{e0041}', '\\u{e0041}'],
  ['an escape', '\u001b[2J', '\\u{1b}[2J'],
  ['a backspace', '\b', '\\u{8}'],
  ['a Hangul filler', '\u3164', '\\u{3164}'],
] as const)('%s in a command is written out, and the title warns', ([, hidden, written]) => {
  const { toolCall } = asked({
    toolCallId: 't',
    title: `$ rm ${hidden}x`,
    rawInput: { command: `rm ${hidden}x`, list: [hidden] },
  })
  expect(toolCall).toEqual({
    toolCallId: 't',
    title: `⚠ hidden characters are shown: $ rm ${written}x`,
    rawInput: { command: `rm ${written}x`, list: [written] },
  })
})

test('the name of an option is written out, and the question warns', () => {
  const changed = asked({ toolCallId: 't', title: 'plain' }, [
    { optionId: 'a', name: 'Allow\u202eonce', kind: 'allow_once' },
  ])
  expect(changed).toEqual({
    toolCall: { toolCallId: 't', title: '⚠ hidden characters are shown: plain' },
    options: [{ optionId: 'a', name: 'Allow\\u{202e}once', kind: 'allow_once' }],
  })
})

test('ids stay as they are, since the answer names them', () => {
  const changed = asked({ toolCallId: 't\u200b', title: 'x\u200b' }, [
    { optionId: 'a\u200b', name: 'b\u200b', kind: 'allow_once' },
  ])
  expect(changed).toEqual({
    toolCall: { toolCallId: 't\u200b', title: '⚠ hidden characters are shown: x\\u{200b}' },
    options: [{ optionId: 'a\u200b', name: 'b\\u{200b}', kind: 'allow_once' }],
  })
})

test('the message of a form is written out', () => {
  const form = { sessionId: 's', message: 'a\u202eb', requestedSchema: {} }
  expect(changedBy('elicitation/create', form, 1)).toEqual({ message: 'a\\u{202e}b' })
})

test.for(['plain', 'Grüße 日本語 é 👍️', 'two\nlines\tand a tab', 'C:\\u'])(
  'a question with %j is not changed',
  (title) => {
    expect(asked({ toolCallId: 't', title, rawInput: { command: title } })).toEqual({})
  },
)

test('a tool call that is told is written out, and what an agent says is left as it is', () => {
  const update = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'a\u202eb' }
  expect(changedBy('session/update', { sessionId: 's', update })).toEqual({
    update: { ...update, title: 'a\\u{202e}b' },
  })
  const words = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '\u202e' } }
  expect(changedBy('session/update', { sessionId: 's', update: words })).toEqual({})
  expect(changedBy('_x/any', { title: '\u202e' })).toEqual({})
})
