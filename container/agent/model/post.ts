/** One streaming POST to a provider, and what its refusals mean. */
import { oneLine, sentence } from '../visible.ts'
import { ModelError } from './model.ts'

export type Post = {
  url: string
  headers: Record<string, string>
  body: unknown
  signal: AbortSignal
  /** Never shown, should a provider echo it. */
  apiKey: string
}

/**
 * The response's bytes, unread.
 * @throws ModelError for any status but 2xx and for a provider that cannot be reached.
 */
export async function postForStream(post: Post): Promise<AsyncIterable<Uint8Array>> {
  const response = await send(post)
  if (!response.ok) throw await refusal(response, post.apiKey)
  if (response.body === null) throw new ModelError('broken', 'The model provider sent no answer.')
  return response.body
}

async function send(post: Post): Promise<Response> {
  try {
    return await fetch(post.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...post.headers },
      body: JSON.stringify(post.body),
      signal: post.signal,
      redirect: 'error',
    })
  } catch (error) {
    post.signal.throwIfAborted()
    const reason = causeOf(error)
    throw new ModelError('busy', `The model provider could not be reached (${reason}).`, {
      cause: error,
    })
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (typeof code === 'string') return code
  return cause instanceof Error ? oneLine(cause.message) : 'unknown reason'
}

async function refusal(response: Response, apiKey: string): Promise<ModelError> {
  const words = await wordsOf(response)
  const said = oneLine(apiKey === '' ? words : words.replaceAll(apiKey, '***'), 500)
  const { status } = response
  const busy = status === 408 || status === 429 || status >= 500
  return new ModelError(
    busy ? 'busy' : 'refused',
    sentence(`The model provider answered ${status}${said === '' ? '' : `: ${said}`}`),
    { status, retryAfter: retryAfterOf(response.headers.get('retry-after')) },
  )
}

/** The border says why it refused in a header; providers say it in a JSON body, or in plain text. */
async function wordsOf(response: Response): Promise<string> {
  const body = await beginningOf(response)
  const border = response.headers.get('x-egress-reason')
  if (border !== null) return `the border refused the request (${border})`
  try {
    return messageIn(JSON.parse(body)) ?? body
  } catch {
    return /^\s*</.test(body) ? '' : body
  }
}

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > 65_536) break
    }
  } catch {
    // What arrived before the connection broke is all there is to say.
  }
  return text
}

/** `{"error":{"message":…}}` (Anthropic, OpenAI), `{"error":"…"}` (Ollama), `{"message":…}` (gateways). */
export function messageIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if ('error' in body) return typeof body.error === 'string' ? body.error : messageIn(body.error)
  return 'message' in body && typeof body.message === 'string' ? body.message : undefined
}

/** Seconds or an HTTP date (RFC 9110, section 10.2.3), as milliseconds from now. */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
