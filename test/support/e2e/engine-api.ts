/** The engine's own API, for what a test looks at or makes beside the product. */
import { request } from 'node:http'

export type Api = <T = unknown>(method: string, path: string, body?: unknown) => Promise<T>

/** Calls over the engine's unix socket; rejects on an HTTP error, with the engine's words. */
export function engineApi(uri: string): Api {
  const socketPath = uri.slice('unix://'.length)
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
      }
      const call = request({ socketPath, method, path, headers, timeout: 60_000 }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const answer = Buffer.concat(chunks)
          const status = response.statusCode ?? 0
          if (status >= 400) reject(new Error(`${method} ${path}: ${status} ${answer.toString()}`))
          else resolve(parsed(answer) as never)
        })
      })
      call.on('error', reject)
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no answer`)))
      call.end(text)
    })
}

function parsed(answer: Buffer): unknown {
  const text = answer.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return answer
  }
}

/** The text of an engine's multiplexed log answer. */
export function demultiplexed(answer: unknown): string {
  const bytes = Buffer.isBuffer(answer) ? answer : Buffer.alloc(0)
  const parts: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32BE(at + 4)
    parts.push(bytes.subarray(at + 8, at + 8 + size))
    at += 8 + size
  }
  return Buffer.concat(parts).toString('utf8')
}
