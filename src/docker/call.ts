/** Every engine call goes through here: bounded in time, and failing with one sentence. */
import { ZodError } from 'zod'

import { GloveboxError } from '../errors.ts'

/** Milliseconds an engine may take, by what it is asked. */
export const BOUND = {
  inspect: 10_000,
  list: 10_000,
  attach: 10_000,
  kill: 10_000,
  stats: 10_000,
  create: 30_000,
  start: 30_000,
  remove: 30_000,
  exec: 60_000,
  network: 30_000,
  load: 600_000,
  pull: 1_800_000,
  build: 1_800_000,
} as const

const MAX_SENTENCE = 400

/** What of an engine's error answers matter to us. */
type Failure = { statusCode?: unknown; code?: unknown; message?: unknown; json?: unknown }

/**
 * Runs one call. `what` completes "The engine could not …". The promise settles within `bound`
 * milliseconds whatever the call does; its connection is dropped then.
 * Throws `engine_failed` only; a GloveboxError of the call itself passes.
 */
export async function engineCall<T>(
  what: string,
  bound: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(tooSlow(what, bound))
    controller.abort()
  }, bound)
  try {
    return await Promise.race([call(controller.signal), late.promise])
  } catch (error) {
    throw engineError(what, error)
  } finally {
    clearTimeout(timer)
  }
}

/** The HTTP status of an engine's error answer. */
export function statusOf(error: unknown): number | undefined {
  const status = asFailure(error).statusCode
  return typeof status === 'number' ? status : undefined
}

/** `undefined` in place of an error answer with one of these statuses. */
export async function unlessStatus<T>(
  statuses: number[],
  call: Promise<T>,
): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (statuses.includes(statusOf(error) ?? 0)) return undefined
    throw error
  }
}

/** A thrown value of dockerode or a socket, as the one sentence a user gets. */
export function engineError(what: string, error: unknown): GloveboxError {
  if (error instanceof GloveboxError) return error
  const code = asFailure(error).code
  if (typeof code === 'string' && GONE.has(code)) {
    return new GloveboxError(
      'engine_failed',
      `The engine could not ${what}: it does not answer (${code}).`,
      'Check that it runs with `docker info` or `podman info`, then try again.',
    )
  }
  return new GloveboxError('engine_failed', `The engine could not ${what}: ${reasonOf(error)}`)
}

const GONE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'EACCES', 'ABORT_ERR'])

function tooSlow(what: string, bound: number): GloveboxError {
  return new GloveboxError(
    'engine_failed',
    `The engine did not ${what} within ${bound / 1000} s.`,
    'Check that it is well with `docker info` or `podman info`, then try again.',
  )
}

/** The engine's own words, on one line, ending in a full stop. */
function reasonOf(error: unknown): string {
  const failure = asFailure(error)
  if (error instanceof ZodError) return 'its answer is not what an engine of its version says.'
  const json = asFailure(failure.json)
  const texts = [json.message, failure.message, error, 'it gave no reason']
  const line = (texts.find((one) => typeof one === 'string') ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_SENTENCE)
  return /[.!?]$/.test(line) ? line : `${line}.`
}

function asFailure(value: unknown): Failure {
  return typeof value === 'object' && value !== null ? value : {}
}
