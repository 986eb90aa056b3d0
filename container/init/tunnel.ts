import { type Socket, connect } from 'node:net'

import { join } from './listeners.ts'

/** Bytes of the proxy's answer header; a longer one is not the proxy's. */
const MAX_HEADER = 16 * 1024

/**
 * Asks the proxy for `host:port` and joins the client to it. Whatever goes wrong before is a reset:
 * the client speaks a protocol of its own in which nothing can be said. The client must be paused.
 */
export function tunnel(client: Socket, socketPath: string, host: string, port: number): void {
  const proxy = connect({ path: socketPath, allowHalfOpen: true })
  const giveUp = () => {
    proxy.destroy()
    client.resetAndDestroy()
  }
  const events = ['error', 'end', 'close'] as const
  for (const event of events) proxy.once(event, giveUp)
  client.on('error', giveUp)
  client.once('close', giveUp)

  let head: Buffer = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) {
      if (head.length > MAX_HEADER) giveUp()
      return
    }
    if (!head.toString('latin1', 0, end).startsWith('HTTP/1.1 200 ')) return giveUp()
    proxy.off('data', onData).pause()
    for (const event of events) proxy.off(event, giveUp)
    client.off('error', giveUp).off('close', giveUp)
    const rest = head.subarray(end + 4)
    if (rest.length > 0) proxy.unshift(rest)
    join(client, proxy)
  }
  proxy.on('data', onData)
  proxy.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
}
