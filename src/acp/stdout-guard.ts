/** Keeps stdout for ACP frames: whatever else in this process prints goes elsewhere. */
import { Writable } from 'node:stream'

type Write = (chunk: Buffer | string, done: (error?: Error | null) => void) => boolean

/**
 * Takes a process's stdout over. The stream returned is the only way to it; `stdout.write` goes to
 * `stray` from now on, so that no library can break a frame.
 */
export function takeStdout(stdout: Writable, stray: Writable): Writable {
  const write = stdout.write.bind(stdout) as unknown as Write
  const frames = new Writable({
    highWaterMark: 256 * 1024,
    write: (chunk: Buffer, _encoding, done) => void write(chunk, done),
    writev: (chunks, done) =>
      void write(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
  })
  stdout.on('error', (error) => frames.destroy(error))
  frames.on('error', () => undefined)
  stdout.write = stray.write.bind(stray) as typeof stdout.write
  return frames
}
