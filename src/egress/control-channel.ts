/** JSON Lines with the proxy over its attached stdin and stdout. */
import type { Readable, Writable } from 'node:stream'

import {
  FromProxy,
  HEARTBEAT_INTERVAL,
  MAX_CONTROL_LINE,
  type FromLauncher,
} from '../../egress-proxy/messages.ts'
import { LineFramer } from '../acp/line-framer.ts'

export type ControlEvents = {
  onMessage: (message: FromProxy) => void
  /** A line that is no control message: the proxy is not what we started. */
  onGarbage: (why: string) => void
}

/** Beats the proxy's heart from construction until disposal. */
export class ControlChannel implements Disposable {
  readonly #stdin: Writable
  readonly #beat: NodeJS.Timeout

  constructor(stdin: Writable, stdout: Readable, events: ControlEvents) {
    this.#stdin = stdin
    const framer = new LineFramer(MAX_CONTROL_LINE)
    stdout.on('data', (chunk: Buffer) => {
      for (const line of framer.push(chunk)) {
        if (line.kind === 'oversize') events.onGarbage(`a line of ${line.size} bytes`)
        else readMessage(line.bytes, events)
      }
    })
    stdin.on('error', () => undefined)
    this.#beat = setInterval(() => this.send({ type: 'heartbeat' }), HEARTBEAT_INTERVAL)
  }

  /** Sends one message; nothing happens when the channel is already closed. */
  send(message: FromLauncher): void {
    if (this.#stdin.destroyed || this.#stdin.writableEnded) return
    this.#stdin.write(`${JSON.stringify(message)}\n`)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat)
  }
}

function readMessage(bytes: Buffer, events: ControlEvents): void {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    events.onGarbage('a line that is not JSON')
    return
  }
  const parsed = FromProxy.safeParse(value)
  if (parsed.success) events.onMessage(parsed.data)
  else events.onGarbage('a message of an unknown shape')
}
