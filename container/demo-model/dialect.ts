/** What the APIs of the providers have in common: a request that is read, a reply that is written. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Reply } from './brain.ts'
import type { MessagesRequest } from './conversation.ts'

export type AnswerOptions = {
  model: string
  /** Estimated tokens of the request. */
  inputTokens: number
  /** Milliseconds between words. */
  wordDelay: number
  /** Aborts when the client has gone. */
  signal: AbortSignal
}

/** A request in the words of the Messages API, whatever API it came by. */
export type Asked = Pick<MessagesRequest, 'messages' | 'tools'> & {
  model: string
  stream: boolean
  /** JSON of this schema is wanted instead of a reply. */
  schema?: unknown
}

/** One provider's API. */
export type Dialect = {
  /** Undefined, or a sentence, when the body is no request of this API. `path` is without query. */
  read: (body: unknown, path: string) => Asked | string
  /** The whole reply at once. */
  send: (response: ServerResponse, reply: Reply, options: AnswerOptions) => void
  /** The reply as events; rejects with an `AbortError` when the client leaves. */
  stream: (response: ServerResponse, reply: Reply, options: AnswerOptions) => Promise<void>
  /** The body of an error answer. */
  fault: (status: number, message: string) => object
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Begins a stream of events. */
export function startEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
}

/** Writes `text`, and waits while the client does not read. */
export async function writeText(
  response: ServerResponse,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  if (!response.write(text)) await once(response, 'drain', { signal })
}

/** The words of a reply with the spaces around them, at the pace asked for. */
export async function* wordsOf(reply: Reply, options: AnswerOptions): AsyncGenerator<string> {
  for (const word of reply.text.match(/\s*\S+\s*/g) ?? []) {
    yield word
    // oxlint-disable-next-line no-await-in-loop -- the pace is the point
    await sleep(reply.wordDelay ?? options.wordDelay, undefined, { signal: options.signal })
  }
}

/** Four characters a token, which is near enough for a program that has no tokens. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

export function outputTokens(reply: Reply): number {
  return estimateTokens(reply.text + JSON.stringify(reply.call ?? ''))
}
