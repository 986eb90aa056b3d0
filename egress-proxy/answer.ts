/** What the agent hears when the border says no, or when an upstream fails. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { hasBody } from './headers.ts'
import { http } from './node-modules.ts'
import { type Reason, sentenceFor, statusOf } from './reasons.ts'

export type Answer = {
  reason: Reason
  /** What the client itself asked for, such as `host:port`. */
  where: string
  status?: number
  /** A JSON body of the shape model clients read, instead of text. */
  json?: boolean
  headers?: Record<string, string>
}

/** How long a refused client may go on sending before its connection is cut, in ms. */
const LINGER = 1_000

function bodyOf({ reason, where, json }: Answer): { type: string; text: string } {
  const sentence = sentenceFor(reason, where)
  if (json !== true) return { type: 'text/plain; charset=utf-8', text: `${sentence}\n` }
  const error = { type: 'api_error', code: reason, message: sentence }
  return { type: 'application/json', text: JSON.stringify({ type: 'error', error }) }
}

/** Answers a parsed request that was not, or not successfully, passed on. */
export function answer(req: IncomingMessage, res: ServerResponse, what: Answer): void {
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  const { type, text } = bodyOf(what)
  // The rest of a body that nobody wants is not waited for.
  const unfinished = !req.complete && hasBody(req.rawHeaders)
  res.writeHead(what.status ?? statusOf(what.reason), {
    ...what.headers,
    'X-Egress-Reason': what.reason,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    ...(unfinished ? { Connection: 'close' } : {}),
  })
  res.end(text)
  if (unfinished) req.resume()
}

/** Answers on a socket that carries no parsed response (CONNECT, upgrade, malformed bytes), and ends it. */
export function answerRaw(socket: Duplex, what: Answer): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const status = what.status ?? statusOf(what.reason)
  const { type, text } = bodyOf(what)
  const fields = {
    ...what.headers,
    'X-Egress-Reason': what.reason,
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const line = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'Refused'}\r\n`
  socket.on('error', () => undefined)
  socket.end(`${line}${lines.join('')}\r\n${text}`)
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER).unref()
}
