import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { demultiplex, frameParser, type Piece } from '../../../src/docker/multiplex.ts'
import { frame } from '../../support/engine/fake-engine.ts'

const wire = Buffer.concat([
  frame(1, 'out one'),
  frame(2, 'err one'),
  frame(1, ''),
  frame(1, Buffer.from([0, 1, 2, 255, 0])),
  frame(2, 'err two\n'),
])

const joined = (pieces: Piece[], stream: Piece['stream']): string =>
  Buffer.concat(pieces.filter((one) => one.stream === stream).map((one) => one.data)).toString(
    'hex',
  )

const hex = (value: string): string => Buffer.from(value).toString('hex')

describe('frameParser', () => {
  test.for(Array.from({ length: wire.length + 1 }, (_, at) => at))(
    'gives the same payloads when the bytes arrive in two parts cut at byte %i',
    (at) => {
      const parser = frameParser()
      const pieces = [...parser.push(wire.subarray(0, at)), ...parser.push(wire.subarray(at))]
      expect(joined(pieces, 'stdout')).toBe(`${hex('out one')}000102ff00`)
      expect(joined(pieces, 'stderr')).toBe(hex('err oneerr two\n'))
      expect(parser.atBoundary()).toBe(true)
    },
  )

  test('gives the same payloads when the bytes arrive one by one', () => {
    const parser = frameParser()
    const pieces = [...wire].flatMap((byte) => parser.push(Buffer.from([byte])))
    expect(joined(pieces, 'stdout')).toBe(`${hex('out one')}000102ff00`)
    expect(joined(pieces, 'stderr')).toBe(hex('err oneerr two\n'))
  })

  test('passes payload on before a frame that claims 4 GiB is complete', () => {
    const header = Buffer.from([1, 0, 0, 0, 255, 255, 255, 255])
    const parser = frameParser()
    expect(parser.push(header)).toEqual([])
    expect(parser.push(Buffer.from('early'))).toEqual([
      { stream: 'stdout', data: Buffer.from('early') },
    ])
    expect(parser.atBoundary()).toBe(false)
  })

  test.for([
    ['an unknown stream number', [7, 0, 0, 0, 0, 0, 0, 1]],
    ['text in place of a header', [...Buffer.from('HTTP/1.1')]],
    ['padding that is not zero', [1, 0, 9, 0, 0, 0, 0, 1]],
  ] as const)('refuses %s', ([, bytes]) => {
    expect(() => frameParser().push(Buffer.from(bytes))).toThrow('not a frame')
  })
})

describe('demultiplex', () => {
  test('splits a source into its two streams and says that it ended well', async () => {
    const { stdout, stderr, done } = demultiplex(Readable.from([wire]))
    expect(await Promise.all([text(stdout), text(stderr)])).toEqual([
      Buffer.from(`${hex('out one')}000102ff00`, 'hex').toString('utf8'),
      'err oneerr two\n',
    ])
    expect(await done).toBeUndefined()
  })

  test('says so when the source ends within a frame, and still ends both streams', async () => {
    const { stdout, stderr, done } = demultiplex(Readable.from([wire.subarray(0, 11)]))
    expect(await Promise.all([text(stdout), text(stderr)])).toEqual(['out', ''])
    expect(await done).toMatchObject({ message: expect.stringContaining('within a frame') })
  })

  test('ends both streams and destroys the source on bytes that are no frame', async () => {
    const source = new PassThrough()
    const { stdout, stderr, done } = demultiplex(source)
    source.write('this is no frame at all')
    expect(await Promise.all([text(stdout), text(stderr)])).toEqual(['', ''])
    expect(await done).toMatchObject({ message: expect.stringContaining('not a frame') })
    expect(source.destroyed).toBe(true)
  })
})

describe('demultiplex under load', () => {
  test('holds the source back while an output is not read, and goes on when it is', async () => {
    const source = new PassThrough()
    const { stdout, stderr } = demultiplex(source)
    stderr.resume()
    const block = frame(1, Buffer.alloc(64 * 1024, 'x'))
    let sent = 0
    while (source.write(block) && sent < 200) {
      sent += 1
      // oxlint-disable-next-line no-await-in-loop -- the streams need their turn
      await turn()
    }
    expect(sent).toBeLessThan(20)
    source.end()
    expect((await text(stdout)).length).toBe((sent + 1) * 64 * 1024)
  })

  test('reading one output does not make the other, unread one grow', async () => {
    const source = new PassThrough()
    const { stdout, stderr } = demultiplex(source)
    stdout.resume()
    const block = Buffer.concat([frame(2, Buffer.alloc(64 * 1024)), frame(1, 'tick')])
    for (let sent = 0; sent < 50; sent += 1) {
      source.write(block)
      // oxlint-disable-next-line no-await-in-loop -- the streams need their turn
      await turn()
    }
    expect(stderr.readableLength).toBeLessThan(256 * 1024)
  })

  test('drops what is for an output that its reader destroyed', async () => {
    const source = new PassThrough()
    const { stdout, stderr } = demultiplex(source)
    stderr.destroy()
    source.write(frame(2, Buffer.alloc(256 * 1024)))
    source.end(frame(1, 'still here'))
    expect(await text(stdout)).toBe('still here')
  })
})
