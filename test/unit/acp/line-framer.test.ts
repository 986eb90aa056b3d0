import { describe, expect, it } from 'vitest'

import { LineFramer, type Line } from '../../../src/acp/line-framer.ts'

const text = (lines: Iterable<Line>): string[] =>
  [...lines].map((line) => (line.kind === 'line' ? line.bytes.toString() : `oversize ${line.size}`))

describe('LineFramer', () => {
  it('gives the same lines wherever the stream is split', () => {
    const stream = Buffer.from('{"a":"é😀"}\n\n{"b":2}\r\n  \n{"c":3}\n')
    for (let split = 0; split <= stream.length; split += 1) {
      const framer = new LineFramer()
      const lines = [
        ...text(framer.push(stream.subarray(0, split))),
        ...text(framer.push(stream.subarray(split))),
      ]
      expect(lines).toEqual(['{"a":"é😀"}', '{"b":2}', '{"c":3}'])
    }
  })

  it('gives the same lines when every byte comes alone', () => {
    const framer = new LineFramer()
    const lines = [...Buffer.from('{"ü":1}\n[2]\n')].flatMap((byte) =>
      text(framer.push(Buffer.from([byte]))),
    )
    expect(lines).toEqual(['{"ü":1}', '[2]'])
  })

  it('reports a line over the limit with its size and goes on with the next', () => {
    const framer = new LineFramer(10)
    const lines = [
      ...text(framer.push(Buffer.from('12345678'))),
      ...text(framer.push(Buffer.from('90abc'))),
      ...text(framer.push(Buffer.from('def\n{"x":1}\n'))),
    ]
    expect(lines).toEqual(['oversize 16', '{"x":1}'])
  })

  it('holds a line that comes in single bytes in no more than twice its length', () => {
    const framer = new LineFramer()
    const before = process.memoryUsage()
    const byte = Buffer.from('a')
    for (let n = 0; n < 1_000_000; n += 1)
      for (const line of framer.push(byte)) expect(line).toBeNull()
    const after = process.memoryUsage()
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(3_000_000)
    const [line] = [...framer.push(Buffer.from('b\n'))]
    expect(line?.kind === 'line' && line.bytes.length).toBe(1_000_001)
  })

  it('takes a line of exactly the limit', () => {
    expect(text(new LineFramer(4).push(Buffer.from('1234\n12345\n')))).toEqual([
      '1234',
      'oversize 5',
    ])
  })

  it('keeps only the beginning of a line that is too long', () => {
    const framer = new LineFramer(1024 * 1024)
    const chunk = Buffer.alloc(1024 * 1024, 0x61)
    for (let n = 0; n < 64; n += 1) expect([...framer.push(chunk)]).toEqual([])
    const [line] = [...framer.push(Buffer.from('\n'))]
    expect(line).toMatchObject({ kind: 'oversize', size: 64 * 1024 * 1024 })
    expect(line?.kind === 'oversize' && line.head.length).toBeLessThanOrEqual(64 * 1024)
  })

  it('gives what is left when the stream ends without a line feed', () => {
    const framer = new LineFramer()
    expect([...framer.push(Buffer.from('{"a":1}'))]).toEqual([])
    expect(framer.end()).toMatchObject({ kind: 'line' })
    expect(framer.end()).toBeUndefined()
  })
})
