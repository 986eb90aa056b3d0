/** The HTTP side: paths, the key check, faults in the provider's shape, one log line a request. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import { estimateTokens, sendMessage, streamMessage } from './answer.ts'
import { decide } from './brain.ts'
import { MessagesRequest } from './conversation.ts'

export type ServerOptions = {
  /** The only key accepted in `x-api-key`. */
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

const FAULTS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

export function createModelServer(options: ServerOptions): Server {
  return createServer((request, response) => {
    response.on('close', () => options.log(logOf(request, response, options.key)))
    answer(request, response, options).catch(() => {
      if (!response.headersSent) sendFault(response, 500, 'The demo model failed.')
      else response.destroy()
    })
  })
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
): Promise<void> {
  const route = `${request.method} ${pathOf(request)}`
  if (route === 'HEAD /api/hello' || route === 'GET /api/hello') {
    response.writeHead(200).end()
    return
  }
  if (keyState(request, options.key) !== 'match')
    return sendFault(response, 401, 'invalid x-api-key')
  if (route === 'GET /v1/models') return sendModels(response)
  const counting = route === 'POST /v1/messages/count_tokens'
  if (route !== 'POST /v1/messages' && !counting) return sendFault(response, 404, 'Not found')

  const body = await readBody(request)
  if (body === undefined) return sendFault(response, 413, 'The request is too large.')
  if (counting) return sendJson(response, 200, { input_tokens: estimateTokens(body) })
  await answerMessages(body, response, options)
}

async function answerMessages(
  body: string,
  response: ServerResponse,
  options: ServerOptions,
): Promise<void> {
  const parsed = MessagesRequest.safeParse(parseJson(body))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return sendFault(response, 400, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }
  const reply = decide(parsed.data)
  if ('status' in reply) return sendFault(response, reply.status, 'Asked for by the prompt.')
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const { model } = parsed.data
  const inputTokens = estimateTokens(body)
  const how = { model, inputTokens, wordDelay: options.wordDelay, signal: gone.signal }
  if (parsed.data.stream === true) await streamMessage(response, reply, how)
  else sendMessage(response, reply, how)
}

function sendModels(response: ServerResponse): void {
  const created_at = '2026-01-01T00:00:00Z'
  const model = { type: 'model', id: MODEL_NAME, display_name: 'Glovebox demo model', created_at }
  const edges = { first_id: MODEL_NAME, last_id: MODEL_NAME, has_more: false }
  sendJson(response, 200, { data: [model], ...edges })
}

/** The provider's shape; statuses it does not know are told as `api_error`. */
function sendFault(response: ServerResponse, status: number, message: string): void {
  const error = { type: FAULTS[status] ?? 'api_error', message }
  const request_id = `req_${randomBytes(12).toString('hex')}`
  const known = Number.isInteger(status) && status >= 400 && status < 600 ? status : 500
  sendJson(response, known, { type: 'error', error, request_id })
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
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

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/'
}

function keyState(request: IncomingMessage, key: string): RequestLog['key'] {
  const given = request.headers['x-api-key']
  if (typeof given !== 'string') return 'absent'
  return timingSafeEqual(digest(given), digest(key)) ? 'match' : 'mismatch'
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
