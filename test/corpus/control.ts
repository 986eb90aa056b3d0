/** Proof that the harness itself works: bytes it sends arrive, and its traps notice a visit. */
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { startTcp } from '../support/egress/origin.ts'
import { send } from '../support/egress/raw-client.ts'
import type { Lab } from './lab.ts'

/** The negative control: the same bytes, sent to an origin that takes everything, must arrive. */
export async function controlFaults(bytes: string): Promise<string[]> {
  const chunks: Buffer[] = []
  const done = Promise.withResolvers<void>()
  await using sink = await startTcp((socket) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', done.resolve)
  })
  const socket = connect(sink.port, '127.0.0.1')
  send(socket, bytes)
  socket.end()
  await Promise.race([done.promise, sleep(1_000)])
  socket.destroy()
  const arrived = Buffer.concat(chunks).toString('latin1') === bytes
  return arrived ? [] : ['the harness did not send these bytes']
}

/** Throws when a trap, the resolver or the allowed origin does not notice what it should. */
export async function selfTest(lab: Lab): Promise<void> {
  for (const [host, port] of [
    ['127.0.0.3', 80],
    ['127.0.0.3', 443],
    ['127.0.0.1', 80],
  ] as const) {
    const socket = connect(port, host)
    await once(socket, 'connect')
    await sleep(20)
    socket.destroy()
    if (lab.takeTrespasses().length !== 1) throw new Error(`the trap on ${host}:${port} is blind`)
  }
  const resolver = new Resolver({ tries: 1 })
  resolver.setServers([lab.dns.server])
  const [address] = await resolver.resolve4('evil.test')
  if (address !== '127.0.0.3' || !lab.dns.queries.includes('evil.test')) {
    throw new Error('the resolver is blind')
  }
}
