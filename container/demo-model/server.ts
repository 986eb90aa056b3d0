/** The HTTP side: paths, the key check, faults in the provider's shape, one log line a request. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import { decide } from './brain.ts'
import { estimateTokens, sendJson } from './dialect.ts'
import { valueFor } from './from-schema.ts'
import { type Route, routeOf } from './routes.ts'

export type ServerOptions = {
  /** The only key accepted, in the header of each API. */
  key: string
  /** Milliseconds between streamed words. */
  wordDelay: number
  log: (line: RequestLog) => void
}

/** What a request looked like from here: header names, never values. */
type RequestLog = {
  type: 'request'
  method: string
  path: string
  key: 'match' | 'mismatch' | 'absent'
  headers: string[]
  status: number
  /** False when the client left before the end. */
  complete: boolean
}

const MODEL_NAME = 'glovebox-demo'
const MAX_BODY = 32 * 1024 * 1024

export function createModelServer(options: ServerOptions): Server {
  return createServer((request, response) => {
    response.on('close', () => options.log(logOf(request, response, options.key)))
    answer(request, response, options).catch(() => {
      if (response.headersSent) response.destroy()
      else sendFault(response, routeFor(request), 500, 'The demo model failed.')
    })
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
): Promise<void> {
  const route = routeFor(request)
  if (route.kind === 'hello') {
    response.writeHead(200).end()
    return
  }
  if (keyState(request, options.key) !== 'match') {
    return sendFault(response, route, 401, `invalid ${route.keyHeader}`)
  }
  if (route.kind === 'models') return sendModels(response)
  if (route.kind === 'unknown') return sendFault(response, route, 404, 'Not found')

  const body = await readBody(request)
  if (body === undefined) return sendFault(response, route, 413, 'The request is too large.')
  const tokens = estimateTokens(body)
  if (route.kind === 'count') {
    return sendJson(response, 200, { input_tokens: tokens, totalTokens: tokens })
  }
  await answerTurn(body, request, response, options)
}

async function answerTurn(
  body: string,
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
): Promise<void> {
  const route = routeFor(request)
  const { dialect } = route
  const asked = dialect.read(parseJson(body), pathOf(request))
  if (typeof asked === 'string') return sendFault(response, route, 400, asked)
  const reply = asked.schema === undefined ? decide(asked) : dataReply(asked.schema)
  if ('status' in reply) return sendFault(response, route, reply.status, 'Asked for by the prompt.')
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const { model } = asked
  const inputTokens = estimateTokens(body)
  const how = { model, inputTokens, wordDelay: options.wordDelay, signal: gone.signal }
  if (asked.stream) await dialect.stream(response, reply, how)
  else dialect.send(response, reply, how)
}

function dataReply(schema: unknown) {
  const text = JSON.stringify(valueFor(schema))
  return { text, call: undefined, stop: 'end_turn', wordDelay: undefined } as const
}

function sendModels(response: ServerResponse): void {
  const created_at = '2026-01-01T00:00:00Z'
  const model = { type: 'model', id: MODEL_NAME, display_name: 'Glovebox demo model', created_at }
  const edges = { first_id: MODEL_NAME, last_id: MODEL_NAME, has_more: false }
  sendJson(response, 200, { object: 'list', data: [{ ...model, object: 'model' }], ...edges })
}

/** In the provider's shape. */
function sendFault(response: ServerResponse, route: Route, status: number, message: string): void {
  const known = Number.isInteger(status) && status >= 400 && status < 600 ? status : 500
  sendJson(response, known, route.dialect.fault(status, message))
}

/** `undefined` when it is longer than the provider takes. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MAX_BODY) chunks.push(chunk)
  }
  return size > MAX_BODY ? undefined : Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function routeFor(request: IncomingMessage): Route {
  return routeOf(request.method ?? '', pathOf(request))
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/'
}

/** Compared in the header of the API that the path belongs to. */
function keyState(request: IncomingMessage, key: string): RequestLog['key'] {
  const { keyHeader } = routeFor(request)
  const given = request.headers[keyHeader]
  if (typeof given !== 'string') return 'absent'
  const wanted = keyHeader === 'authorization' ? `Bearer ${key}` : key
  return timingSafeEqual(digest(given), digest(wanted)) ? 'match' : 'mismatch'
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function logOf(request: IncomingMessage, response: ServerResponse, key: string): RequestLog {
  return {
    type: 'request',
    method: request.method ?? '',
    path: pathOf(request),
    key: keyState(request, key),
    headers: Object.keys(request.headers).toSorted(),
    status: response.statusCode,
    complete: response.writableFinished,
  }
}
