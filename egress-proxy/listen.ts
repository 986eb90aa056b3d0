import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import type { Server } from 'node:http'

/** Listens on a unix socket that every user may connect to. Throws the system's error. */
export async function listenOn(server: Server, path: string): Promise<void> {
  await rm(path, { force: true })
  server.listen({ path, backlog: 512 })
  await once(server, 'listening')
  await chmod(path, 0o666)
}
