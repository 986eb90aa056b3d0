import { type Server, type Socket, connect, createServer } from 'node:net'

import { EXIT, InitFault, reasonOf } from './fault.ts'

/** Connections at one time on each port; more are closed at once. */
const MAX_CONNECTIONS = 1_024

/** Listens on the ports of 127.0.0.1 and pipes every connection to the proxy's socket. */
export async function listen(ports: number[], socketPath: string): Promise<void> {
  await Promise.all(ports.map((port) => listenOn(port, socketPath)))
}

function listenOn(port: number, socketPath: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
      join(client, connect({ path: socketPath, allowHalfOpen: true })),
    )
    server.maxConnections = MAX_CONNECTIONS
    server.on('error', (error) => {
      const what = `Port ${port} of 127.0.0.1 cannot be listened on: ${reasonOf(error)}.`
      reject(new InitFault(EXIT.unavailable, what, { cause: error }))
    })
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Bytes both ways with backpressure; each side's end is passed on while the other goes on. */
export function join(client: Socket, proxy: Socket): void {
  client.pipe(proxy)
  proxy.pipe(client)
  // A reset, not an end: a cut download must not look complete.
  proxy.once('error', () => client.resetAndDestroy())
  client.once('error', () => proxy.destroy())
  client.once('close', () => proxy.destroySoon())
}
