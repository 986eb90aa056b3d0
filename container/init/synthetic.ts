import { type Server, type Socket, createServer } from 'node:net'

import { type Entry, createAddressTable } from './address-table.ts'
import type { Found } from './names.ts'
import { tunnel } from './tunnel.ts'

/** Connections at one time on all names; more are reset at once. */
const MAX_CONNECTIONS = 1_024

/**
 * The name's own address, once at least one of its ports is listened on there; undefined when none
 * can be. Not before it is asked for: a program's own listener on all addresses would collide with
 * ours.
 */
export type AddressOf = (host: string, found: Found) => Promise<string | undefined>

/** Gives each name an address and joins what connects there to the proxy. */
export function giveAddresses(socketPath: string, entryOf = createAddressTable()): AddressOf {
  let connections = 0
  const take = (client: Socket, entry: Entry, port: number) => {
    if (connections >= MAX_CONNECTIONS) {
      client.resetAndDestroy()
      return
    }
    connections += 1
    entry.connections += 1
    client.once('close', () => {
      connections -= 1
      entry.connections -= 1
    })
    tunnel(client, socketPath, entry.host, port)
  }
  return async (host, found) => {
    const entry = entryOf(host, found, performance.now())
    if (entry === undefined) return undefined
    entry.opening ??= open(entry, (client, port) => take(client, entry, port))
    await entry.opening
    return entry.servers.size > 0 ? entry.address : undefined
  }
}

/** Listens on those of the ports that are not listened on yet. */
async function open(entry: Entry, take: (client: Socket, port: number) => void): Promise<void> {
  const closed = entry.ports.filter((port) => !entry.servers.has(port))
  const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true }
  await Promise.all(
    closed.map(async (port) => {
      const server = createServer(options, (client) => take(client, port))
      if (await listensOn(server, port, entry.address)) entry.servers.set(port, server)
    }),
  )
  entry.opening = undefined
}

/** False when the port is taken on all addresses, by a server of the agent's own. */
function listensOn(server: Server, port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.on('error', () => resolve(false))
    server.listen(port, address, () => resolve(true))
  })
}
