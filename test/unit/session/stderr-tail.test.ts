import { PassThrough } from 'node:stream'

import { describe, expect, it } from 'vitest'

import { StderrTail } from '../../../src/session/stderr-tail.ts'

describe('StderrTail', () => {
  it('gives whole lines, wherever they were split, and remembers the last that was not empty', () => {
    const stream = new PassThrough()
    const lines: string[] = []
    const tail = new StderrTail(stream, (line) => lines.push(line))
    for (const part of ['first li', 'ne\nsec', 'ond\n\n', '  \n']) stream.write(part)
    expect(lines).toEqual(['first line', 'second'])
    expect(tail.last).toBe('second')
    stream.write('unfinished')
    expect(tail.last).toBe('unfinished')
  })

  it('keeps a line without end within bounds', () => {
    const stream = new PassThrough()
    const tail = new StderrTail(stream, () => undefined)
    for (let n = 0; n < 100; n += 1) stream.write('x'.repeat(10_000))
    expect(tail.last.length).toBeLessThanOrEqual(2_000)
  })
})
