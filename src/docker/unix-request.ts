/** One small HTTP request over a unix socket, for what must not wait for dockerode to load. */
import { request as httpRequest, type IncomingMessage } from 'node:http'

const MAX_BODY = 4 * 1024 * 1024

export type UnixRequest = {
  socketPath: string
  method: 'GET' | 'POST'
  path: string
  signal: AbortSignal
}

export type UnixAnswer = { status: number; body: string }

/** Rejects with the socket's own error (`code`), or the signal's reason. */
export async function unixRequest(options: UnixRequest): Promise<UnixAnswer> {
  const response = await unixResponse(options)
  return { status: response.statusCode ?? 0, body: await bodyOf(response) }
}

/** Resolves when the headers arrived. */
export function unixResponse(options: UnixRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...options, agent: false, headers: { Host: 'engine' } }, resolve)
    request.once('error', reject)
    request.end()
  })
}

/** The whole body as text; rejects when it is longer than 4 MiB or cut short. */
export async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error('the answer is longer than 4 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
