import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { EXIT, InitFault, reasonOf } from './fault.ts'
import { type FromInit, MAX_CONTROL_LINE, type ToInit, parseToInit } from './messages.ts'

/** Milliseconds until a proxy that cannot be reached counts as missing. */
const CONNECT_DEADLINE = 10_000
/** Milliseconds between two tries. */
const RETRY_INTERVAL = 20
/** Milliseconds that init waits for its last words to be taken. */
const FLUSH_DEADLINE = 200

// An import of node:http reads its every export, and so loads its WebSocket client: 40 ms, 15 MB.
const { request } = process.getBuiltinModule('node:http')

export type Control = {
  send: (message: FromInit) => void
  /** Resolves when everything sent was handed over, or after 200 ms. */
  flush: () => Promise<void>
}

export type ControlHandlers = {
  onMessage: (message: ToInit) => void
  /** The stream ended or carried garbage; at most once. */
  onLost: () => void
}

/**
 * Waits for the proxy's socket and opens the session's one control stream, for `speak`. Throws an
 * InitFault when it cannot be reached within `deadline` milliseconds or refuses; the signal's
 * reason when aborted.
 */
export async function openControl(
  socketPath: string,
  end: AbortSignal,
  deadline = CONNECT_DEADLINE,
): Promise<Socket> {
  const late = AbortSignal.timeout(deadline)
  const signal = AbortSignal.any([end, late])
  let last = 'no answer'
  for (;;) {
    try {
      return await upgrade(socketPath, signal)
    } catch (error) {
      end.throwIfAborted()
      if (error instanceof InitFault) throw error
      if (late.aborted) {
        const what = `The egress proxy's socket ${socketPath} was not reachable for`
        throw new InitFault(EXIT.unavailable, `${what} ${deadline / 1_000} s (${last}).`)
      }
      last = reasonOf(error)
    }
    // The proxy makes the socket, then opens its mode: any connect error may be gone in a moment.
    await sleep(RETRY_INTERVAL)
  }
}

function upgrade(socketPath: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const asked = request({
      socketPath,
      path: '/.glovebox/control',
      headers: { host: 'glovebox', connection: 'Upgrade', upgrade: 'glovebox-control' },
      signal,
    })
    asked.once('upgrade', (_response, socket, head) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    asked.once('response', (response) => {
      response.resume()
      const what = `The egress proxy refused the control stream with status ${response.statusCode}.`
      reject(new InitFault(EXIT.unavailable, what))
    })
    asked.once('error', reject)
    asked.end()
  })
}

/** Reads the launcher's messages and says init's. */
export function speak(socket: Socket, handlers: ControlHandlers): Control {
  let lost = false
  const lose = () => {
    if (lost) return
    lost = true
    socket.destroy()
    handlers.onLost()
  }
  const read = lineReader(handlers.onMessage)
  socket.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch {
      lose()
    }
  })
  socket.on('error', lose).on('end', lose).on('close', lose)
  return {
    send(message) {
      if (!lost) socket.write(`${JSON.stringify(message)}\n`)
    },
    async flush() {
      if (lost) return
      const { promise, resolve } = Promise.withResolvers<void>()
      socket.end(resolve)
      await Promise.race([promise, sleep(FLUSH_DEADLINE)])
    },
  }
}

/** Cuts a byte stream into messages, wherever the chunks begin. Throws on garbage. */
export function lineReader(onMessage: (message: ToInit) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
      const line = rest.toString('utf8', 0, at)
      rest = rest.subarray(at + 1)
      const message = parseToInit(line)
      if (message !== undefined) onMessage(message)
    }
    if (rest.length > MAX_CONTROL_LINE) throw new RangeError('a control line is too long')
  }
}
