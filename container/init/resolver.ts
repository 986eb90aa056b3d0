import { type RemoteInfo, createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Socket, createServer } from 'node:net'

/** Bytes of the longest question that is read. */
const MAX_QUESTION = 4_096
/** Connections at one time; more are closed at once. */
const MAX_CONNECTIONS = 64
/** Milliseconds of silence that end a connection. */
const IDLE = 10_000
/** Bytes of answers that a client may leave unread. */
const MAX_UNREAD = 64 * 1024

/** The answer to a message; undefined for one that gets none. Never rejects. */
export type Answer = (question: Buffer) => Promise<Buffer | undefined>

/** Answers DNS questions on 127.0.0.1, by UDP and by TCP. Rejects with the system's error. */
export async function listenForQuestions(port: number, answer: Answer): Promise<void> {
  await Promise.all([listenOnUdp(port, answer), listenOnTcp(port, answer)])
}

async function listenOnUdp(port: number, answer: Answer): Promise<void> {
  const socket = createSocket('udp4')
  const respond = async (question: Buffer, from: RemoteInfo) => {
    const reply = await answer(question)
    // A client that is gone is no fault of ours.
    if (reply !== undefined) socket.send(reply, from.port, from.address, () => undefined)
  }
  socket.on('message', (question, from) => {
    if (question.length <= MAX_QUESTION) void respond(question, from)
  })
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('error', () => undefined)
}

async function listenOnTcp(port: number, answer: Answer): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.setTimeout(IDLE, () => socket.destroy())
    serve(socket, answer).then(
      () => socket.destroySoon(),
      () => socket.destroy(),
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.on('error', () => undefined)
}

/** RFC 1035, 4.2.2: each message has its length before it; several may follow each other. */
async function serve(socket: Socket, answer: Answer): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 2) {
      const size = rest.readUInt16BE(0)
      if (size > MAX_QUESTION || socket.writableLength > MAX_UNREAD) return
      if (rest.length < 2 + size) break
      const reply = await answer(rest.subarray(2, 2 + size))
      rest = rest.subarray(2 + size)
      if (reply === undefined) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      socket.write(Buffer.concat([length, reply]))
    }
  }
}
