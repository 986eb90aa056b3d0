/** A client of init's resolver, as programs inside have one. */
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'

/** Node's own resolver, asking 127.0.0.1 on this port. */
export function resolverAt(port: number): Resolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver
}

/** Sends messages by UDP and resolves with the first answer. */
export async function askByUdp(port: number, messages: Buffer[]): Promise<Buffer> {
  const socket = createSocket('udp4')
  try {
    const answered = once(socket, 'message')
    for (const message of messages) socket.send(message, port, '127.0.0.1')
    const [answer]: unknown[] = await answered
    return Buffer.isBuffer(answer) ? answer : Buffer.alloc(0)
  } finally {
    socket.close()
  }
}

/** A message as TCP carries it. */
export function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

export async function dial(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host, allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}

/** Everything until the end of the stream; rejects with its error. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks)
}
