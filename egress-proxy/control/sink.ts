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
 * JSON Lines on standard output, those of one turn of the event loop in one write. A pipe is written
 * without blocking: Node's own `process.stdout` writes pipes synchronously, so a reader that stalls
 * would stall every timer of the proxy too. Calls `onLost` when the reader is gone.
 */
export function openSink(onLost: () => void): Sink {
  const out: Writable = isPipe(1) ? new Socket({ fd: 1, readable: false }) : process.stdout
  let queued = ''
  const write = () => {
    const lines = queued
    queued = ''
    if (lines !== '') out.write(lines)
  }
  out.on('error', onLost)
  // What was decided in the last turn is still handed over.
  process.on('exit', write)
  return {
    send(message) {
      if (queued === '') setImmediate(write)
      queued += `${JSON.stringify(message)}\n`
    },
    isBlocked: () => out.writableLength + queued.length > MAX_QUEUED,
    flush(milliseconds, callback) {
      setTimeout(callback, milliseconds).unref()
      write()
      out.write('', callback)
    },
  }
}

function isPipe(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isFIFO() || stat.isSocket()
}
