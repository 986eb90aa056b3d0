import { expect, test } from 'vitest'

import { lastTurn } from '../../../../container/demo-model/conversation.ts'

const use = (id: string) => ({
  role: 'assistant' as const,
  content: [{ type: 'tool_use', id, name: 'x', input: {} }],
})
const result = (
  id: string,
  content: string | { type: string; text: string }[],
  more: object = {},
) => ({
  role: 'user' as const,
  content: [{ type: 'tool_result', tool_use_id: id, content, ...more }],
})

test('Answers are those of the last task, in the order of the calls', () => {
  const turn = lastTurn([
    { role: 'user', content: 'first' },
    use('1'),
    result('1', 'old'),
    { role: 'assistant', content: 'done' },
    { role: 'user', content: [{ type: 'text', text: 'second' }] },
    use('2'),
    result('2', [{ type: 'text', text: 'new' }], { is_error: true }),
    use('3'),
    result('3', 'newer'),
  ])
  expect(turn).toEqual({
    prompt: 'second',
    answers: [
      { text: 'new', isError: true },
      { text: 'newer', isError: false },
    ],
  })
})

test.for([
  '<system-reminder>\nThe list is empty.\n</system-reminder>',
  '[Request interrupted by user for tool use]',
])('What a client adds beside results by itself starts no task: %s', (text) => {
  const turn = lastTurn([
    { role: 'user', content: `<system-reminder>x</system-reminder>do it` },
    use('1'),
    { ...result('1', 'ok'), content: [...result('1', 'ok').content, { type: 'text', text }] },
  ])
  expect(turn).toEqual({ prompt: 'do it', answers: [{ text: 'ok', isError: false }] })
})

test('A new task beside the results of a cancelled one starts afresh', () => {
  const turn = lastTurn([
    { role: 'user', content: 'one' },
    use('1'),
    { ...result('1', 'x'), content: [...result('1', 'x').content, { type: 'text', text: 'two' }] },
  ])
  expect(turn).toEqual({ prompt: 'two', answers: [] })
})

test('A call that never got a result counts as an error', () => {
  expect(lastTurn([{ role: 'user', content: 'one' }, use('1')]).answers).toEqual([
    { text: '', isError: true },
  ])
})
