import { expect, test } from 'vitest'

import { decide } from '../../../../container/demo-model/brain.ts'
import { TOOLS } from '../../../support/demo-model/small-agent.ts'

const request = (prompt: string, results: [text: string, isError?: boolean][] = []) => ({
  model: 'm',
  max_tokens: 10,
  tools: TOOLS.glovebox,
  messages: [
    { role: 'user' as const, content: prompt },
    ...results.flatMap(([content, is_error = false], index) => [
      {
        role: 'assistant' as const,
        content: [{ type: 'tool_use', id: `${index}`, name: 'x', input: {} }],
      },
      {
        role: 'user' as const,
        content: [{ type: 'tool_result', tool_use_id: `${index}`, content, is_error }],
      },
    ]),
  ],
})

const failingAt = (file: string) =>
  `ℹ pass 0\nℹ fail 1\n at (file://${file}:2:3)\n actual: 1,\n expected: 2,\n`

const TASK = 'Make the failing test pass.'

test('The test command comes from the manifest that the tool returned', () => {
  const seen = request(TASK, [['package.json'], ['{"scripts":{"test":"node --test spec/"}}']])
  expect(decide(seen)).toMatchObject({ call: { input: { command: 'node --test spec/' } } })
  const other = request(TASK, [['package.json'], ['{"scripts":{"test":"vitest"}}']])
  expect(decide(other)).toMatchObject({ call: { input: { command: 'npm test' } } })
})

test('Another failing place in the output leads to another file', () => {
  for (const file of ['/a/one.test.js', '/b/two.test.js']) {
    const next = decide(request(TASK, [['src'], [failingAt(file), true]]))
    expect(next).toMatchObject({ call: { name: 'read_file', input: { path: file } } })
  }
})

test('A denied command ends the turn with the reason', () => {
  const next = decide(request(TASK, [['src'], ['Permission denied by the user.', true]]))
  expect(next).toMatchObject({ call: undefined, stop: 'end_turn' })
  expect(next).toHaveProperty('text', expect.stringContaining('I was not allowed to run'))
})

test('A command that could not run is told as such, not as a denial', () => {
  const next = decide(request(TASK, [['src'], ['sh: node: not found', true]]))
  expect(next).toHaveProperty('text', expect.stringContaining('I could not run'))
})

test('A request without tools, as for a title, is not the task', () => {
  expect(decide({ ...request(TASK), tools: [] })).toMatchObject({ stop: 'end_turn' })
})

test('The same conversation gives the same reply', () => {
  const seen = request(TASK, [['package.json']])
  expect(decide(seen)).toEqual(decide(seen))
})

test('A slow reply has its own pace and as many words as asked for', () => {
  const reply = decide(request('demo: slow 5'))
  expect(reply).toMatchObject({ text: 'word-1 word-2 word-3 word-4 word-5', wordDelay: 100 })
})

test('A step for which no tool is offered is said to be impossible', () => {
  const reply = decide({ ...request('demo: write a b'), tools: [{ name: 'Bash' }] })
  expect(reply).toHaveProperty('text', expect.stringContaining('no tool for it is offered'))
})
