import { expect, test } from 'vitest'

import { lineReader } from '../../../../container/init/control.ts'
import { MAX_CONTROL_LINE, type ToInit } from '../../../../container/init/messages.ts'

function reader() {
  const got: ToInit[] = []
  const read = lineReader((message) => got.push(message))
  return { got, read: (text: string) => read(Buffer.from(text)) }
}

test('messages are found wherever the chunks are cut', () => {
  const text = '{"type":"heartbeat"}\n{"type":"heartbeat","later":"ü"}\n'
  for (let at = 0; at <= text.length; at++) {
    const { got, read } = reader()
    read(text.slice(0, at))
    read(text.slice(at))
    expect(got).toEqual([{ type: 'heartbeat' }, { type: 'heartbeat' }])
  }
})

test('a message of a type not known yet is passed over', () => {
  const { got, read } = reader()
  read('{"type":"later"}\n{"type":"heartbeat"}\n')
  expect(got).toEqual([{ type: 'heartbeat' }])
})

test.for(['no json', '[]', 'null', '3', '{}', ''])('the line %j is garbage', (line) => {
  expect(() => reader().read(`${line}\n`)).toThrow(/JSON|an object with a type/)
})

test('a line without an end is refused past its limit', () => {
  const { read } = reader()
  read('x'.repeat(MAX_CONTROL_LINE))
  expect(() => read('x')).toThrow('a control line is too long')
})
