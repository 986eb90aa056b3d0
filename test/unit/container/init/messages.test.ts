import { expect, test } from 'vitest'

import {
  MAX_CONTROL_LINE,
  parseToInit,
  reapedMessage,
} from '../../../../container/init/messages.ts'

test.for([
  ['{"type":"mark","turn":"3","helpers":["a*"]}', { type: 'mark', turn: '3', helpers: ['a*'] }],
  ['{"type":"mark"}', { type: 'mark', turn: '', helpers: [] }],
  ['{"type":"reap","id":4}', { type: 'reap', id: 4 }],
] as const)('%s is understood', ([line, message]) => {
  expect(parseToInit(line)).toEqual(message)
})

test('a report names at most a hundred processes, and fits in a line', () => {
  const command = '\\'.repeat(5_000)
  const many = Array.from({ length: 500 }, (_, pid) => ({ pid, command }))
  const message = reapedMessage(many, 2, 9)
  expect(message).toMatchObject({ type: 'reaped', id: 9, count: 500, left: 2 })
  expect(JSON.stringify(message).length).toBeLessThan(MAX_CONTROL_LINE)
  expect(reapedMessage([], 0, undefined)).not.toHaveProperty('id')
})
