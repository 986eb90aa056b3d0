/** What went wrong on the way to an upstream, as a reason. Pure. */
import { type Reason, Refusal } from './reasons.ts'

/** Reasons found while dialling or sending that are verdicts of the border, not faults of the network. */
export function isVerdict(reason: Reason): boolean {
  return (
    reason === 'resolved_private' || reason === 'self_connection' || reason === 'body_too_large'
  )
}

/** undici's codes for an answer that is not HTTP/1.1. */
const MALFORMED = /^UND_ERR_(?:HEADERS_OVERFLOW|RES_|INFO)/

/** The Refusal for anything that undici or the border threw. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  if (cause.cause instanceof Refusal) return cause.cause
  const code = 'code' in cause ? String(cause.code) : ''
  // Not every parser error has a code.
  if (cause.name === 'HTTPParserError') return new Refusal('upstream_protocol_error', { cause })
  return new Refusal(reasonFor(code, cause.message), { cause })
}

function reasonFor(code: string, message: string): Reason {
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code)) return 'upstream_timeout'
  if (code === 'UND_ERR_ABORTED') return 'client_abort'
  if (message === 'bad upgrade') return 'unsolicited_101'
  if (MALFORMED.test(code)) return 'upstream_protocol_error'
  const ours = code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' || code === 'UND_ERR_INVALID_ARG'
  return ours ? 'bad_framing' : 'upstream_truncated'
}
