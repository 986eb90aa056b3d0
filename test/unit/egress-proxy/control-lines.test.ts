import { expect, test } from 'vitest'

import { parseMessage } from '../../../egress-proxy/control/launcher.ts'
import { createLineReader, parseObject } from '../../../egress-proxy/control/lines.ts'

test('lines come out whole wherever the chunks begin', () => {
  const bytes = Buffer.from('{"a":"é"}\n\n{"b":2}\n{"c"')
  for (let size = 1; size <= bytes.length; size += 1) {
    const read = createLineReader(100)
    const lines: string[] = []
    for (let at = 0; at < bytes.length; at += size)
      lines.push(...read(bytes.subarray(at, at + size)))
    expect(lines).toEqual(['{"a":"é"}', '', '{"b":2}'])
  }
})

test('a line of the limit passes and one byte more throws', () => {
  expect(createLineReader(5)(Buffer.from('12345\n'))).toEqual(['12345'])
  expect(() => createLineReader(5)(Buffer.from('123456\n'))).toThrow(RangeError)
  const read = createLineReader(5)
  read(Buffer.from('123'))
  expect(() => read(Buffer.from('456'))).toThrow(RangeError)
})

test('only objects are messages', () => {
  expect(parseObject('{"a":1}')).toEqual({ a: 1 })
  for (const line of ['', '[]', 'null', '1', '"x"', '{', '{"a":1}x'])
    expect(parseObject(line)).toBeUndefined()
})

test('a fault names key and expectation, never a value', () => {
  const configure = {
    type: 'configure',
    version: 1,
    session: 's',
    identity: { uid: 1, gid: 1, name: 'agent', home: '/home/agent' },
    rules: [],
    deny: [],
    gateway: [
      {
        id: 'a',
        preset: 'anthropic',
        origin: 'https://m.test',
        credential: { header: 'cookie', value: 'secret-key' },
      },
    ],
  }
  const line = JSON.stringify(configure)
  expect(() => parseMessage(line)).toThrow(/gateway\.0\.credential\.header/)
  expect(() => parseMessage(line)).not.toThrow(/secret-key/)
  expect(() => parseMessage('{"type":"heartbeat","x":1}')).toThrow(/x/)
  expect(() => parseMessage('{"type":"nothing"}')).toThrow(/type/)
  expect(parseMessage('{"type":"heartbeat"}')).toEqual({ type: 'heartbeat' })
})
