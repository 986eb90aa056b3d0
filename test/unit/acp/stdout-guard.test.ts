import { PassThrough } from 'node:stream'

import { describe, expect, it } from 'vitest'

import { FrameWriter } from '../../../src/acp/frame-writer.ts'
import { takeStdout } from '../../../src/acp/stdout-guard.ts'

describe('takeStdout', () => {
  it('lets frames through and sends everything else elsewhere', async () => {
    const stdout = new PassThrough()
    const stray = new PassThrough()
    const writer = new FrameWriter(takeStdout(stdout, stray))
    await writer.write(Buffer.from('{"a":1}'))
    stdout.write('printed by a library\n')
    await writer.write(Buffer.from('{"b":2}'))
    await writer.flushed()
    expect(String(stdout.read())).toBe('{"a":1}\n{"b":2}\n')
    expect(String(stray.read())).toBe('printed by a library\n')
  })

  it('makes the writer wait while nobody reads, and go on when somebody does', async () => {
    const stdout = new PassThrough({ highWaterMark: 1024 })
    const writer = new FrameWriter(takeStdout(stdout, new PassThrough()))
    let written = 0
    let waiting: void | Promise<void> = undefined
    while (waiting === undefined && written < 10_000) {
      waiting = writer.write(Buffer.alloc(1_000, 0x61))
      written += 1
    }
    expect(written).toBeLessThan(1_000)
    stdout.resume()
    await waiting
  })

  it('does not wait for an editor that is gone', async () => {
    const stdout = new PassThrough({ highWaterMark: 16 })
    const writer = new FrameWriter(takeStdout(stdout, new PassThrough()))
    for (let n = 0; n < 400; n += 1) void writer.write(Buffer.alloc(1_000))
    const waiting = writer.write(Buffer.alloc(1_000))
    stdout.destroy(new Error('EPIPE'))
    await waiting
    await writer.flushed()
    expect(writer.write(Buffer.from('x'))).toBeUndefined()
  })
})
