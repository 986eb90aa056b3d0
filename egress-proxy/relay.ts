/** One HTTP request to an upstream and its answer back, streamed both ways. */
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Dispatcher } from 'undici'

import { answer } from './answer.ts'
import type { Flow } from './audit.ts'
import { type RequestBody, bodyOf } from './body.ts'
import { type FlatHeaders, isResponseAmbiguous, responseHeaders } from './headers.ts'
import type { Close } from './messages.ts'
import { type Reason, Refusal } from './reasons.ts'
import { createSecretFilter } from './secret-filter.ts'
import { isVerdict, refusalOf } from './upstream-fault.ts'

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
  /** The key that was sent, so that an answer cannot carry it in. */
  credential?: string | undefined
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
  /** The client left, or its bytes turned out malformed. */
  abandon: () => void
  fail: (error: unknown) => void
}

/** Interim answers (1xx) to one request. */
const MAX_HINTS = 5_000

/** What the exchange's callbacks share. */
type State = {
  controller: Dispatcher.DispatchController | undefined
  /** Body bytes to the agent. */
  down: number
  /** Interim (1xx) answers. */
  hints: number
  over: boolean
  finish: (reason: Reason | 'closed', status?: number) => void
}

function createExchange(job: Job, body: RequestBody, done: () => void): Exchange {
  const { res, flow } = job
  const state: State = {
    controller: undefined,
    down: 0,
    hints: 0,
    over: false,
    finish(reason, status) {
      if (state.over) return
      state.over = true
      const usage = job.observe?.end()
      flow.close({ reason, status, up: body.bytes(), down: state.down, usage })
      body.stop()
      done()
    },
  }
  const fail = (error: unknown) => {
    const { reason, status } = refusalOf(error)
    if (isVerdict(reason)) flow.deny(reason)
    else flow.allow(job.rule)
    const sent = res.headersSent
    state.finish(reason, sent ? undefined : status)
    // Cut, so that half an answer never looks whole.
    if (sent) res.destroy()
    else answer(job.req, res, { reason, status, where: job.where, json: job.json })
  }
  const abandon = () => {
    if (state.over) return
    state.controller?.abort(new Refusal('client_abort'))
    flow.allow(job.rule)
    state.finish('client_abort')
  }
  return { handler: handlerFor(job, state, fail), abandon, fail }
}

function handlerFor(
  job: Job,
  state: State,
  fail: (error: unknown) => void,
): Dispatcher.DispatchHandler {
  const { res } = job
  const filter = createSecretFilter(job.credential)
  return {
    /** A checked connection stands and nothing was written to it yet. */
    onRequestStart(controller) {
      state.controller = controller
      if (state.over) controller.abort(new Refusal('client_abort'))
      else job.flow.allow(job.rule)
    },
    onResponseStart(controller, status, _headers, message) {
      if (status < 200) {
        // Not passed on; a flood of them never lets the timer for the header run out.
        state.hints += 1
        if (state.hints > MAX_HINTS) controller.abort(new Refusal('upstream_protocol_error'))
        return
      }
      const flat = flatten(controller.rawHeaders)
      if (isResponseAmbiguous(flat)) {
        controller.abort(new Refusal('upstream_protocol_error'))
        return
      }
      if (state.over) return
      job.observe?.start(status, flat)
      res.sendDate = false
      res.writeHead(status, filter.header(message ?? ''), responseHeaders(flat.map(filter.header)))
      res.flushHeaders()
    },
    onResponseData(controller, chunk) {
      if (state.over) return
      state.down += chunk.length
      job.observe?.chunk(chunk)
      const passing = filter.push(chunk)
      if (passing.length === 0 || res.write(passing)) return
      controller.pause()
      res.once('drain', () => controller.resume())
    },
    onResponseEnd() {
      if (state.over) return
      const status = res.statusCode
      res.end(filter.end(), () => state.finish('closed', status))
    },
    onResponseError(_controller, error) {
      if (!state.over) fail(error)
    },
  }
}

function flatten(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return []
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
}
