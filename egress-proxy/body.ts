import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

import { hasBody } from './headers.ts'
import { Refusal } from './reasons.ts'

export type RequestBody = {
  /** For the upstream client; null when the request has no body. */
  stream: Readable | null
  /** Bytes read so far. */
  bytes: () => number
  /** Ends the watch over a body that will not be read on. */
  stop: () => void
}

export type BodyBounds = {
  /** Longest silence within the body, in milliseconds. */
  timeout: number
  /** Most bytes; unlimited when undefined. */
  max: number | undefined
}

/**
 * The request's body, counted and bounded. Waits for its first chunk, so that a body malformed
 * from its start never opens an upstream request. Throws, there or out of the stream, a Refusal
 * (`body_timeout`, `body_too_large`).
 */
export async function bodyOf(req: IncomingMessage, bounds: BodyBounds): Promise<RequestBody> {
  if (!hasBody(req.rawHeaders)) return { stream: null, bytes: () => 0, stop: () => undefined }
  const { max } = bounds
  const announced = Number(req.headers['content-length'] ?? 0)
  if (max !== undefined && announced > max) throw new Refusal('body_too_large')
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const timer = setTimeout(() => late.reject(new Refusal('body_timeout')), bounds.timeout)
  const stop = () => clearTimeout(timer)
  const chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
  const next = () => Promise.race([chunks.next(), late.promise])
  let count = 0
  async function* counted(head: IteratorResult<Buffer, undefined>): AsyncGenerator<Buffer> {
    for (let item = head; item.done !== true; item = await next()) {
      timer.refresh()
      count += item.value.length
      if (max !== undefined && count > max) throw new Refusal('body_too_large')
      yield item.value
    }
    stop()
  }
  try {
    const stream = Readable.from(counted(await next()), { objectMode: false })
    return { stream, bytes: () => count, stop }
  } catch (error) {
    stop()
    throw error instanceof Refusal ? error : new Refusal('client_abort', { cause: error })
  }
}
