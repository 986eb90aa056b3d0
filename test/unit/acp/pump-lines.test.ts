import { PassThrough } from 'node:stream'

import { describe, expect, it } from 'vitest'

import type { Line } from '../../../src/acp/line-framer.ts'
import { pumpLines } from '../../../src/acp/pump-lines.ts'

const text = (line: Line): string => (line.kind === 'line' ? line.bytes.toString() : 'oversize')
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('pumpLines', () => {
  it('gives the lines in order and resolves at the end', async () => {
    const stream = new PassThrough()
    const seen: string[] = []
    const done = pumpLines(stream, (line) => void seen.push(text(line)))
    for (const part of ['a\nb', 'c\n', 'd\ne\n']) stream.write(part)
    stream.end()
    await done
    expect(seen).toEqual(['a', 'bc', 'd', 'e'])
  })

  it('gives no further line while one is worked on, and pauses the stream', async () => {
    const stream = new PassThrough()
    const seen: string[] = []
    const release: (() => void)[] = []
    const done = pumpLines(stream, (line) => {
      seen.push(text(line))
      return text(line) === 'quick' ? undefined : new Promise((resolve) => release.push(resolve))
    })
    stream.write('one\nquick\ntwo\n')
    stream.write('three\n')
    await turn()
    expect(seen).toEqual(['one'])
    expect(stream.isPaused()).toBe(true)
    release[0]?.()
    await turn()
    expect(seen).toEqual(['one', 'quick', 'two'])
    release[1]?.()
    await turn()
    stream.end()
    await turn()
    expect(seen).toEqual(['one', 'quick', 'two', 'three'])
    release[2]?.()
    await done
  })

  it('finishes the line under work before it resolves', async () => {
    const stream = new PassThrough()
    let worked = false
    const done = pumpLines(stream, async () => {
      await turn()
      worked = true
    })
    stream.end('last\n')
    await done
    expect(worked).toBe(true)
  })

  it.each([
    ['breaks', (stream: PassThrough) => stream.destroy(new Error('broken'))],
    ['is closed', (stream: PassThrough) => stream.destroy()],
  ])('resolves when the stream %s', async (_how, leave) => {
    const stream = new PassThrough()
    const done = pumpLines(stream, () => undefined)
    stream.write('half a li')
    leave(stream)
    await expect(done).resolves.toBeUndefined()
  })

  it('stops and closes the stream when a line cannot be worked on', async () => {
    const stream = new PassThrough()
    const done = pumpLines(stream, () => Promise.reject(new Error('no')))
    stream.write('a\nb\n')
    await done
    expect(stream.destroyed).toBe(true)
  })
})
