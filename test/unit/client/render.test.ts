import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'

import { createRenderer } from '../../../src/client/render.ts'

const say = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
})

const call = (fields: object): SessionUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId: '1',
  title: '$ npm test',
  kind: 'execute',
  ...fields,
})

const textContent = (text: string) => [{ type: 'content', content: { type: 'text', text } }]

function screen() {
  const shown: string[] = []
  const renderer = createRenderer({
    text: (chunk) => shown.push(chunk),
    activity: (lines) => shown.push(lines),
    paint: (style, text) => (style === 'faint' || style === 'name' ? text : `<${style}>${text}</>`),
  })
  return { ...renderer, shown: () => shown.join('') }
}

test('Streamed words stay on a line, and what the agent does begins a new one', () => {
  const { update, end, shown } = screen()
  for (const word of ['I ', 'run.']) update(say(word))
  update(call({ status: 'pending' }))
  update(say('Done.'))
  end()
  expect(shown()).toBe('I run.\n▸ [execute] $ npm test\nDone.\n')
})

test('A call is shown when it comes up and when it has ended, a failed command with the end of its output', () => {
  const { update, shown } = screen()
  update(call({ status: 'pending' }))
  update(call({ sessionUpdate: 'tool_call_update', status: 'in_progress' }))
  update(call({ sessionUpdate: 'tool_call_update', content: textContent('more') }))
  const output = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n')
  update(
    call({ sessionUpdate: 'tool_call_update', status: 'failed', content: textContent(output) }),
  )
  const lines = shown().trimEnd().split('\n')
  expect(lines.slice(0, 4)).toEqual([
    '▸ [execute] $ npm test',
    '<bad>✖</> [execute] $ npm test: failed',
    '  │ … 5 lines before',
    '  │ line 6',
  ])
  expect(lines.at(-1)).toBe('  │ line 20')
})

const diff = {
  type: 'diff',
  path: '/p/a\u202e.js',
  oldText: 'a\n',
  newText: 'b\u001b[8m\n',
} as const

test('A question shows its diff in colours, with what would hide in it, and the call does not repeat it', () => {
  const { question, update, shown } = screen()
  const toolCall = { toolCallId: '1', title: 'Edit a.js', kind: 'edit' as const, content: [diff] }
  question({ sessionId: 's', toolCall, options: [] })
  update({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'completed' })
  expect(shown()).toBe(
    [
      '? The agent asks: [edit] Edit a.js',
      '  /p/a\\u{202e}.js',
      '<removed>  -    1  a</>',
      '<added>  +    1  b\\u{1b}[8m</>',
      '<good>✔</> [edit] Edit a.js: completed\n',
    ].join('\n'),
  )
})

test('A question without a diff shows the raw input that will be used', () => {
  const { question, shown } = screen()
  const rawInput = { command: 'rm -rf x\u200b\n' }
  const toolCall = { toolCallId: '1', title: '$ ls', kind: 'execute' as const, rawInput }
  question({ sessionId: 's', toolCall, options: [] })
  expect(shown()).toContain(String.raw`{"command":"rm -rf x\u200b\n"}`)
})

test('A cut diff says how many lines are missing', () => {
  const { update, shown } = screen()
  const newText = Array.from({ length: 50 }, (_, index) => `${index}\n`).join('')
  const content = [{ type: 'diff', path: '/a', oldText: '', newText }]
  update(call({ kind: 'edit', status: 'completed', content }))
  expect(shown()).toContain('… 10 more lines of this change are not shown')
})

test('A plan is a list with marks, a notice a line, and a list of commands nothing', () => {
  const { update, shown } = screen()
  update({
    sessionUpdate: 'plan',
    entries: [
      { content: 'look', status: 'completed', priority: 'high' },
      { content: 'fix', status: 'in_progress', priority: 'high' },
      { content: 'test', status: 'pending', priority: 'high' },
    ],
  })
  update({ sessionUpdate: 'notice', severity: 'warning', title: 'No sandbox.' })
  update({ sessionUpdate: 'available_commands_update', availableCommands: [] })
  expect(shown()).toBe('[x] look\n[~] fix\n[ ] test\nwarning: No sandbox.\n')
})
