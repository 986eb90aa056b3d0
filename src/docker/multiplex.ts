/**
 * The engine's multiplexed stream: frames of an 8-byte header (stream number, three zero bytes,
 * payload length as a big-endian 32-bit number) and the payload. Engine API, "Attach to a container".
 */
import { PassThrough, type Readable } from 'node:stream'

const HEADER = 8
const STREAMS = new Map<number, 'stdout' | 'stderr'>([
  [0, 'stdout'],
  [1, 'stdout'],
  [2, 'stderr'],
])

export type Piece = { stream: 'stdout' | 'stderr'; data: Buffer }

export type FrameParser = {
  /** Payload pieces in order, cut as they arrived; throws on a header that is none. */
  push(chunk: Buffer): Piece[]
  /** True when the bytes so far end between two frames. */
  atBoundary(): boolean
}

/** Holds at most one header; payload is passed on at once, whatever length a frame claims. */
export function frameParser(): FrameParser {
  const header = Buffer.alloc(HEADER)
  let filled = 0
  let remaining = 0
  let stream: Piece['stream'] = 'stdout'
  return {
    push(chunk) {
      const pieces: Piece[] = []
      let at = 0
      while (at < chunk.length) {
        if (remaining > 0) {
          const data = chunk.subarray(at, at + remaining)
          pieces.push({ stream, data })
          at += data.length
          remaining -= data.length
          continue
        }
        const copied = chunk.copy(header, filled, at, at + HEADER - filled)
        at += copied
        filled += copied
        if (filled < HEADER) break
        filled = 0
        stream = streamOf(header)
        remaining = header.readUInt32BE(4)
      }
      return pieces
    },
    atBoundary: () => filled === 0 && remaining === 0,
  }
}

function streamOf(header: Buffer): Piece['stream'] {
  const stream = STREAMS.get(header.readUInt8(0))
  if (stream === undefined || header.readUIntBE(1, 3) !== 0) {
    throw new Error(`not a frame of the engine's stream: ${header.toString('hex')}`)
  }
  return stream
}

export type Demultiplexed = {
  stdout: Readable
  stderr: Readable
  /** Resolves when the source ended, with the error if it did not end between two frames. */
  done: Promise<Error | undefined>
}

/**
 * Splits the source into two streams that just end, error or not, so that no reader needs an error
 * handler. Both must be read: a full one holds the source back, as it would a terminal.
 */
export function demultiplex(source: Readable): Demultiplexed {
  const parser = frameParser()
  const outputs = { stdout: new PassThrough(), stderr: new PassThrough() }
  const forward = gate(source)
  const done = new Promise<Error | undefined>((resolve) => {
    const finish = (error?: Error): void => {
      outputs.stdout.end()
      outputs.stderr.end()
      resolve(error)
    }
    source.on('data', (chunk: Buffer) => {
      try {
        for (const piece of parser.push(chunk)) forward(outputs[piece.stream], piece.data)
      } catch (error) {
        source.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    })
    source.once('error', finish)
    source.once('close', () => finish(parser.atBoundary() ? undefined : cutShort()))
  })
  return { ...outputs, done }
}

/** Writes to an output, and holds the source back while any output is full. */
function gate(source: Readable): (output: PassThrough, data: Buffer) => void {
  const full = new Set<PassThrough>()
  return (output, data) => {
    if (output.destroyed || output.write(data) || full.has(output)) return
    full.add(output)
    source.pause()
    const drained = (): void => {
      output.off('drain', drained).off('close', drained)
      full.delete(output)
      if (full.size === 0) source.resume()
    }
    output.on('drain', drained).on('close', drained)
  }
}

const cutShort = (): Error => new Error("the engine's stream ended within a frame")
