/** One HTTP request to an upstream and its answer back, streamed both ways. */
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Dispatcher } from 'undici'

import { answer } from './answer.ts'
import type { Flow } from './audit.ts'
import { type RequestBody, bodyOf } from './body.ts'
import { type FlatHeaders, isResponseAmbiguous, responseHeaders } from './headers.ts'
import type { Close } from './messages.ts'
import { type Reason, Refusal } from './reasons.ts'

export type Job = {
  req: IncomingMessage
  res: ServerResponse
  /** Aborts when the client's bytes turn out malformed; it is answered elsewhere then. */
  signal: AbortSignal
  flow: Flow
  rule: string
  dispatcher: Dispatcher
  /** Of the upstream request, already judged: sent as it is. */
  path: string
  headers: FlatHeaders
  /** For messages to the agent. */
  where: string
  json: boolean
  bodyTimeout: number
  maxBody: number | undefined
  /** Whether the end of the client's sending means it left (it does for model clients). */
  endMeansGone: boolean
  observe?: Observer
}

/** Watches an answer pass by, such as for token counts. */
export type Observer = {
  start: (status: number, headers: FlatHeaders) => void
  chunk: (chunk: Buffer) => void
  end: () => Close['usage']
}

/**
 * Passes the request on and the answer back. Resolves when the exchange is over, whatever its
 * outcome; every outcome is answered and recorded here.
 */
export async function relay(job: Job): Promise<void> {
  let body: RequestBody
  try {
    body = await bodyOf(job.req, { timeout: job.bodyTimeout, max: job.maxBody })
  } catch (error) {
    const { reason, status } = refusalOf(error)
    job.flow.deny(reason)
    answer(job.req, job.res, { reason, status, where: job.where, json: job.json })
    return
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  const exchange = createExchange(job, body, resolve)
  const unwatch = watchClient(job, exchange.abandon)
  try {
    job.dispatcher.dispatch(
      {
        path: job.path,
        method: job.req.method ?? 'GET',
        headers: [...job.headers],
        body: body.stream,
      },
      exchange.handler,
    )
  } catch (error) {
    exchange.fail(error)
  }
  await promise
  unwatch()
}

function watchClient(job: Job, abandon: () => void): () => void {
  const { req, res, signal, endMeansGone } = job
  const onClose = () => {
    if (!res.writableFinished) abandon()
  }
  const onEnd = () => {
    abandon()
    res.destroy()
  }
  res.once('close', onClose)
  signal.addEventListener('abort', abandon)
  if (endMeansGone) req.socket.once('end', onEnd)
  if (res.destroyed || signal.aborted) abandon()
  if (endMeansGone && req.socket.readableEnded) onEnd()
  return () => {
    res.off('close', onClose)
    signal.removeEventListener('abort', abandon)
    req.socket.off('end', onEnd)
  }
}

type Exchange = {
  handler: Dispatcher.DispatchHandler
  abandon: () => void
  fail: (error: unknown) => void
}

function createExchange(job: Job, body: RequestBody, done: () => void): Exchange {
  const { res, flow } = job
  let controller: Dispatcher.DispatchController | undefined
  let down = 0
  let over = false
  const finish = (reason: Reason | 'closed', status?: number) => {
    if (over) return
    over = true
    const usage = job.observe?.end()
    flow.close({ reason, status, up: body.bytes(), down, usage })
    body.stop()
    done()
  }
  const fail = (error: unknown) => {
    const refusal = refusalOf(error)
    if (isDecision(refusal.reason)) flow.deny(refusal.reason)
    else flow.allow(job.rule)
    const { reason, status } = refusal
    const sent = res.headersSent
    finish(reason, sent ? undefined : status)
    if (sent) res.destroy()
    else answer(job.req, res, { reason, status, where: job.where, json: job.json })
  }
  const abandon = () => {
    if (over) return
    controller?.abort(new Refusal('client_abort'))
    flow.allow(job.rule)
    finish('client_abort')
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (over) started.abort(new Refusal('client_abort'))
      else flow.allow(job.rule)
    },
    onResponseStart(started, status, _headers, message) {
      const flat = flatten(started.rawHeaders)
      if (status < 200 || isResponseAmbiguous(flat)) {
        started.abort(new Refusal('upstream_protocol_error'))
        return
      }
      if (over) return
      job.observe?.start(status, flat)
      res.sendDate = false
      res.writeHead(status, message, responseHeaders(flat))
      res.flushHeaders()
    },
    onResponseData(started, chunk) {
      if (over) return
      down += chunk.length
      job.observe?.chunk(chunk)
      if (res.write(chunk)) return
      started.pause()
      res.once('drain', () => started.resume())
    },
    onResponseEnd() {
      if (over) return
      const status = res.statusCode
      res.end(() => finish('closed', status))
    },
    onResponseError(_started, error) {
      if (!over) fail(error)
    },
  }
  return { handler, abandon, fail }
}

function flatten(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return []
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
}

/** Reasons found while dialling that are verdicts of the border and not faults of the network. */
function isDecision(reason: Reason): boolean {
  return (
    reason === 'resolved_private' || reason === 'self_connection' || reason === 'body_too_large'
  )
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const code = 'code' in cause ? String(cause.code) : ''
  if (cause.cause instanceof Refusal) return cause.cause
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code))
    return new Refusal('upstream_timeout', { cause })
  if (code === 'UND_ERR_ABORTED') return new Refusal('client_abort', { cause })
  const malformed = /^(?:HPE_|UND_ERR_(?:HEADERS_OVERFLOW|RES_|INFO))/.test(code)
  if (malformed || /bad upgrade/.test(cause.message)) {
    return new Refusal('upstream_protocol_error', { cause })
  }
  if (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') return new Refusal('bad_framing', { cause })
  if (/^UND_ERR_INVALID_ARG/.test(code)) return new Refusal('bad_framing', { cause })
  return new Refusal('upstream_truncated', { cause })
}
