/** Writes a reply as the Messages API does: one JSON message, or server-sent events. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Reply } from './brain.ts'

export type AnswerOptions = {
  model: string
  /** Estimated tokens of the request. */
  inputTokens: number
  /** Milliseconds between words. */
  wordDelay: number
  /** Aborts when the client has gone. */
  signal: AbortSignal
}

/** The whole reply at once. */
export function sendMessage(response: ServerResponse, reply: Reply, options: AnswerOptions): void {
  const content: unknown[] = [{ type: 'text', text: reply.text }]
  if (reply.call !== undefined)
    content.push({ type: 'tool_use', id: newId('toolu'), ...reply.call })
  const body = {
    ...messageHead(options),
    content,
    stop_reason: reply.stop,
    usage: usage(reply, options),
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** The reply as a stream of events; rejects with an `AbortError` when the client leaves. */
export async function streamMessage(
  response: ServerResponse,
  reply: Reply,
  options: AnswerOptions,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const send = (type: string, fields: object = {}) =>
    writeEvent(response, type, fields, options.signal)
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
}

type Send = (type: string, fields?: object) => Promise<void>

async function streamText(send: Send, reply: Reply, options: AnswerOptions): Promise<void> {
  await send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  for (const text of reply.text.match(/\s*\S+\s*/g) ?? []) {
    await send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
    await sleep(reply.wordDelay ?? options.wordDelay, undefined, { signal: options.signal })
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

async function writeEvent(
  response: ServerResponse,
  type: string,
  fields: object,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const flowing = response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  if (!flowing) await once(response, 'drain', { signal })
}

function messageHead(options: AnswerOptions) {
  const { model } = options
  return { id: newId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null }
}

/** Four characters a token, which is near enough for a program that has no tokens. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

function usage(reply: Reply, options: AnswerOptions) {
  const said = reply.text + JSON.stringify(reply.call ?? '')
  return { input_tokens: options.inputTokens, output_tokens: estimateTokens(said) }
}

function piecesOf(json: string): string[] {
  return json.match(/[\s\S]{1,24}/g) ?? []
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}
