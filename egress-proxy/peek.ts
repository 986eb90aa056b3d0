import type { Duplex } from 'node:stream'

import { Refusal } from './reasons.ts'
import { type Hello, parseHello } from './sni.ts'

export type Peeked = {
  hello: Hello
  /** Everything read so far, to be sent on first. */
  bytes: Buffer
}

/**
 * Reads from a client until its ClientHello is whole, within bounds of bytes and milliseconds.
 * Throws a Refusal: `not_tls`, `sni_invalid`, `tls_peek_timeout`, `client_abort`. The socket is
 * left paused.
 */
export function peekHello(
  socket: Duplex,
  head: Buffer,
  bounds: { bytes: number; timeout: number },
): Promise<Peeked> {
  return new Promise((resolve, reject) => {
    let bytes = head
    const settle = (refusal: Refusal | undefined, hello?: Hello) => {
      clearTimeout(timer)
      socket.pause()
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd)
      if (hello !== undefined) resolve({ hello, bytes })
      else reject(refusal ?? new Refusal('not_tls'))
    }
    const look = () => {
      const result = parseHello(bytes.subarray(0, bounds.bytes))
      if (result.state === 'hello') settle(undefined, result.hello)
      else if (result.state === 'bad') settle(new Refusal(result.reason))
      else if (bytes.length >= bounds.bytes) settle(new Refusal('sni_invalid'))
    }
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      look()
    }
    const onEnd = () => settle(new Refusal('client_abort'))
    const timer = setTimeout(() => settle(new Refusal('tls_peek_timeout')), bounds.timeout)
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd)
    if (head.length > 0) look()
  })
}
