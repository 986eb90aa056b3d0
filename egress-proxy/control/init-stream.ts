/** The control stream of `init`, which runs inside the agent's container: untrusted. */
import type { Socket } from 'node:net'

import { answerRaw } from '../answer.ts'
import type { Audit } from '../audit.ts'
import { createLineReader, parseObject } from './lines.ts'
import { recordRefusedNames } from './names.ts'

export type InitEvents = {
  onConnected: () => void
  onClosed: () => void
  onMessage: (message: Record<string, unknown>) => void
  /** True while messages cannot be passed on: the stream is then not read. */
  isBlocked: () => boolean
  /** Whether a stream may follow one that closed: another container, where the proxy outlives it. */
  reopens: boolean
}

export type InitStream = {
  /** Takes the first connection of the session; answers 403 to later ones, unless it reopens. */
  accept: (socket: Socket, head: Buffer) => void
  /** Says what each connection is told first. */
  greetWith: (message: Record<string, unknown>) => void
  /** Sends a message; dropped when init is not connected. */
  send: (message: Record<string, unknown>) => void
}

const MAX_LINE = 256 * 1024
const RETRY_BLOCKED = 100
const SWITCHING =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: glovebox-control\r\n\r\n'

export function createInitStream(audit: () => Audit, events: InitEvents): InitStream {
  let taken = false
  let open: Socket | undefined
  let greeting: Record<string, unknown> | undefined
  const lose = (socket: Socket) => {
    socket.destroy()
    if (open !== socket) return
    open = undefined
    taken = !events.reopens
    events.onClosed()
  }
  const take = (message: Record<string, unknown>) => {
    if (!recordRefusedNames(audit(), message)) events.onMessage(message)
  }
  return {
    accept(socket, head) {
      if (taken) {
        audit().open({ kind: 'control' }).deny('control_refused')
        answerRaw(socket, { reason: 'control_refused', where: '' })
        return
      }
      taken = true
      open = socket
      socket.setTimeout(0)
      socket.write(SWITCHING)
      if (greeting !== undefined) socket.write(lineOf(greeting))
      events.onConnected()
      const read = createLineReader(MAX_LINE)
      const onData = (chunk: Buffer) => {
        try {
          for (const line of read(chunk)) take(messageIn(line))
        } catch {
          lose(socket)
        }
        if (events.isBlocked()) pauseWhileBlocked(socket, events.isBlocked)
      }
      socket.on('data', onData)
      for (const event of ['end', 'error', 'close']) socket.on(event, () => lose(socket))
      if (head.length > 0) onData(head)
    },
    greetWith(message) {
      greeting = message
    },
    send(message) {
      open?.write(lineOf(message))
    },
  }
}

const lineOf = (message: Record<string, unknown>) => `${JSON.stringify(message)}\n`

function messageIn(line: string): Record<string, unknown> {
  const message = parseObject(line)
  if (message === undefined) throw new SyntaxError('not a message')
  return message
}

function pauseWhileBlocked(socket: Socket, isBlocked: () => boolean): void {
  socket.pause()
  const timer = setInterval(() => {
    if (isBlocked()) return
    clearInterval(timer)
    socket.resume()
  }, RETRY_BLOCKED)
  socket.once('close', () => clearInterval(timer))
}
