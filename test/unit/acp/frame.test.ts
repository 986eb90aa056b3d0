import { describe, expect, it, test } from 'vitest'

import { readHead, idKey, parseFrame, rawId, rewrite, type Frame } from '../../../src/acp/frame.ts'

const frame = (text: string): Frame => {
  const parsed = parseFrame(Buffer.from(text))
  if (parsed.kind === 'invalid') throw new Error(parsed.reason)
  return parsed
}

describe('parseFrame', () => {
  test.for<[string, string]>([
    ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', 'request'],
    ['{"jsonrpc":"2.0","id":null,"method":"x"}', 'request'],
    ['{"jsonrpc":"2.0","method":"session/update","params":{}}', 'notification'],
    ['{"jsonrpc":"2.0","id":0,"result":null}', 'response'],
    ['{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}}', 'response'],
    ['not json', 'invalid'],
    ['[]', 'invalid'],
    ['7', 'invalid'],
    ['{"jsonrpc":"2.0"}', 'invalid'],
    ['{"id":{},"method":"x"}', 'invalid'],
    ['{"id":1,"id":2,"method":"x"}', 'invalid'],
    ['{"method":"a","\\u006dethod":"b"}', 'invalid'],
    ['{"method":"a","params":{"sessionId":"mine","sessionId":"yours"}}', 'invalid'],
  ])('reads %s as %s', ([text, kind]) => {
    expect(parseFrame(Buffer.from(text)).kind).toBe(kind)
  })

  it('says of an invalid line whether it was JSON at all', () => {
    expect(parseFrame(Buffer.from('Starting…'))).toMatchObject({ notJson: true, id: null })
    expect(parseFrame(Buffer.from('{"id":5}'))).toMatchObject({ notJson: false, id: 5 })
  })
})

describe('rewrite', () => {
  it('keeps every byte when nothing changes', () => {
    const text = '{"id":1.0,"method":"m","params":{"n":9007199254740993,"a":1,"a":2,"z":"\\u00e9"}}'
    expect(rewrite(frame(text), {}).toString()).toBe(text)
    expect(rewrite(frame(text), { params: { missing: '1' } }).toString()).toBe(text)
  })

  it('replaces only the id and the named parameters', () => {
    const text = '{ "params":{"n":9007199254740993, "sessionId":"s" },"id":7 ,"method":"m"}'
    expect(rewrite(frame(text), { id: '"x"', params: { sessionId: '"t"' } }).toString()).toBe(
      '{ "params":{"n":9007199254740993, "sessionId":"t" },"id":"x" ,"method":"m"}',
    )
  })
})

describe('ids', () => {
  it('keeps the sender’s spelling', () => {
    expect(rawId(frame('{"id":1.0,"method":"m"}'))).toBe('1.0')
    expect(rawId(frame('{"id":"a\\u0062","method":"m"}'))).toBe('"a\\u0062"')
  })

  it('tells the number 1 from the text 1', () => {
    expect(idKey(1)).not.toBe(idKey('1'))
  })

  test.for<[string, unknown]>([
    ['{"jsonrpc":"2.0","id":41,"method":"session/prompt","params":{"x":"aaaa', 41],
    ['{"jsonrpc":"2.0","id":"a","params":"aaaa', 'a'],
    ['{"params":{"id":3,"x":"aaaaa', null],
    ['{"id":4', null],
    ['garbage', null],
  ])('finds the id in the beginning of a long line: %s', ([head, id]) => {
    expect(readHead(Buffer.from(head)).id).toBe(id)
  })
})
