import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

export type Sink = {
  /** Writes one JSON line. */
  send: (message: object) => void
  /** True while more is queued than a stalled reader may hold up. */
  isBlocked: () => boolean
  /** Calls back when everything was handed to the kernel, or after `milliseconds`. */
  flush: (milliseconds: number, callback: () => void) => void
}

/** Bytes that may wait for a reader before nothing new is let through. */
const MAX_QUEUED = 4 * 1024 * 1024

/**
 * JSON Lines on standard output. A pipe is written without blocking: Node's own `process.stdout`
 * writes pipes synchronously, so a reader that stalls would stall every timer of the proxy too.
 * Calls `onLost` when the reader is gone.
 */
export function openSink(onLost: () => void): Sink {
  const out: Writable = isPipe(1) ? new Socket({ fd: 1, readable: false }) : process.stdout
  out.on('error', onLost)
  return {
    send: (message) => out.write(`${JSON.stringify(message)}\n`),
    isBlocked: () => out.writableLength > MAX_QUEUED,
    flush: (milliseconds, callback) => {
      setTimeout(callback, milliseconds).unref()
      out.write('', callback)
    },
  }
}

function isPipe(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isFIFO() || stat.isSocket()
}
