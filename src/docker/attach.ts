/**
 * Attaches to a container by a plain HTTP upgrade. Not through dockerode: it sends its options as a
 * body, which Podman hands to the container as the first line of its input.
 */
import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'

import { BOUND, engineCall } from './call.ts'
import { objectOf } from './engine-answers.ts'
import type { AttachedStreams } from './engine.ts'
import { demultiplex } from './multiplex.ts'
import { bodyOf } from './unix-request.ts'

const STREAMS = 'stream=1&stdin=1&stdout=1&stderr=1'

/** Resolves when the engine switched protocols: what the container prints from then on is seen. */
export async function attach(socketPath: string, id: string): Promise<AttachedStreams> {
  const socket = await engineCall('attach to the container', BOUND.attach, (signal) =>
    upgrade(socketPath, `/containers/${id}/attach?${STREAMS}`, signal),
  )
  const { stdout, stderr, done } = demultiplex(socket)
  return {
    stdin: inputOf(socket),
    stdout,
    stderr,
    closed: done,
    destroy: () => socket.destroy(),
  }
}

function upgrade(socketPath: string, path: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      socketPath,
      path,
      method: 'POST',
      agent: false,
      headers: { Host: 'engine', Connection: 'Upgrade', Upgrade: 'tcp' },
    })
    const abandon = (): void => {
      request.destroy(new Error('abandoned'))
    }
    signal.addEventListener('abort', abandon)
    request.once('upgrade', (_response, socket, head) => {
      signal.removeEventListener('abort', abandon)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.once('response', (response) => {
      bodyOf(response).then((body) => reject(new Error(refusal(response.statusCode, body))), reject)
    })
    request.once('error', reject)
    request.end()
  })
}

function refusal(status: number | undefined, body: string): string {
  const message = objectOf(body)?.['message']
  if (typeof message === 'string') return message
  return `it answered HTTP ${status ?? 0} instead of switching to a stream`
}

/** The container's input alone: ending it half-closes the connection, its output still arrives. */
function inputOf(socket: Socket): Writable {
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    writev: (chunks, done) => {
      socket.cork()
      for (const { chunk } of chunks.slice(0, -1)) socket.write(chunk)
      socket.write(chunks.at(-1)?.chunk ?? '', done)
      socket.uncork()
    },
    final: (done) => void socket.end(() => done()),
  })
  // A write after the container ended is no fault of the writer: `closed` tells.
  stdin.on('error', () => undefined)
  socket.once('close', () => stdin.destroy())
  return stdin
}
