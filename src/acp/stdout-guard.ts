/** Keeps stdout for ACP frames: whatever else in this process prints goes elsewhere. */
import { Writable } from 'node:stream'

/**
 * Takes a process's stdout over. The stream returned is the only way to it; `stdout.write` goes to
 * `stray` from now on, so that no library can break a frame.
 */
export function takeStdout(stdout: Writable, stray: Writable): Writable {
  const write = stdout.write.bind(stdout)
  const frames = new Writable({
    highWaterMark: 256 * 1024,
    write: (chunk: Buffer, _encoding, done) => void write(chunk, done),
    writev: (chunks, done) =>
      void write(Buffer.concat(chunks.map(({ chunk }) => asBytes(chunk))), done),
  })
  stdout.on('error', (error) => frames.destroy(error))
  frames.on('error', () => undefined)
  stdout.write = stray.write.bind(stray)
  return frames
}

const asBytes = (chunk: Buffer): Buffer => chunk
