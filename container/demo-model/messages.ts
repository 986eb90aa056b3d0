/** Anthropic's Messages API. */
import { randomBytes } from 'node:crypto'

import type { Reply } from './brain.ts'
import { MessagesRequest } from './conversation.ts'
import {
  type AnswerOptions,
  type Dialect,
  outputTokens,
  sendJson,
  startEvents,
  wordsOf,
  writeText,
} from './dialect.ts'
import { firstIssue } from './openai.ts'

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

export const messages: Dialect = {
  read(body) {
    const parsed = MessagesRequest.safeParse(body)
    if (!parsed.success) return firstIssue(parsed.error)
    return { ...parsed.data, stream: parsed.data.stream === true }
  },

  send(response, reply, options) {
    const content: unknown[] = [{ type: 'text', text: reply.text }]
    if (reply.call !== undefined)
      content.push({ type: 'tool_use', id: newId('toolu'), ...reply.call })
    sendJson(response, 200, {
      ...messageHead(options),
      content,
      stop_reason: reply.stop,
      usage: usage(reply, options),
    })
  },

  async stream(response, reply, options) {
    startEvents(response)
    const send: Send = (type, fields = {}) =>
      writeText(
        response,
        `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
        options.signal,
      )
    const started = { input_tokens: options.inputTokens, output_tokens: 1 }
    const message = { ...messageHead(options), content: [], stop_reason: null, usage: started }
    await send('message_start', { message })
    await send('ping')
    await streamText(send, reply, options)
    if (reply.call !== undefined) await streamCall(send, reply.call)
    const delta = { stop_reason: reply.stop, stop_sequence: null }
    await send('message_delta', { delta, usage: usage(reply, options) })
    await send('message_stop')
    response.end()
  },

  /** Statuses it does not know are told as `api_error`. */
  fault(status, message) {
    const error = { type: FAULTS[status] ?? 'api_error', message }
    return { type: 'error', error, request_id: `req_${randomBytes(12).toString('hex')}` }
  },
}

type Send = (type: string, fields?: object) => Promise<void>

async function streamText(send: Send, reply: Reply, options: AnswerOptions): Promise<void> {
  await send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  for await (const text of wordsOf(reply, options)) {
    await send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
  }
  await send('content_block_stop', { index: 0 })
}

async function streamCall(send: Send, call: NonNullable<Reply['call']>): Promise<void> {
  const content_block = { type: 'tool_use', id: newId('toolu'), name: call.name, input: {} }
  await send('content_block_start', { index: 1, content_block })
  for (const partial_json of ['', ...piecesOf(JSON.stringify(call.input))])
    await send('content_block_delta', {
      index: 1,
      delta: { type: 'input_json_delta', partial_json },
    })
  await send('content_block_stop', { index: 1 })
}

function messageHead(options: AnswerOptions) {
  const { model } = options
  return { id: newId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null }
}

function usage(reply: Reply, options: AnswerOptions) {
  return { input_tokens: options.inputTokens, output_tokens: outputTokens(reply) }
}

function piecesOf(json: string): string[] {
  return json.match(/[\s\S]{1,24}/g) ?? []
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}
