import { once } from 'node:events'
/** What `init` does: a TCP port whose connections are piped to the proxy's unix socket. */
import { type AddressInfo, connect, createServer } from 'node:net'

export type Bridge = AsyncDisposable & { url: string; port: number }

export async function startBridge(socketPath: string, port = 0): Promise<Bridge> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ path: socketPath, allowHalfOpen: true })
    client.pipe(proxy)
    proxy.pipe(client)
    client.on('error', () => proxy.destroy())
    proxy.on('error', () => client.resetAndDestroy())
    client.on('close', () => proxy.destroySoon())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
