import { once } from 'node:events'
/** The origin of the measurements, a process of its own: prints its two ports and its name server. */
import { createServer as createHttp } from 'node:http'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'

import { startDns } from '../../test/support/egress/stub-dns.ts'
import { BODY } from './load.ts'

const MEGABYTE = Buffer.alloc(1e6, 'x')

const http = createHttp({ keepAliveTimeout: 60_000 }, (_request, response) => {
  response.writeHead(200, { 'content-length': BODY.length }).end(BODY)
})
/** Sends as many megabytes as the first line asks for. */
const raw = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.once('data', (line: Buffer) => {
    const count = Number(line)
    Readable.from(Array.from({ length: count }, () => MEGABYTE)).pipe(socket)
  })
})

const ports: number[] = []
for (const server of [http, raw]) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  ports.push(typeof address === 'object' && address !== null ? address.port : 0)
}
const dns = await startDns((_name, type) => (type === 'A' ? ['127.0.0.1'] : []))
const [httpPort, rawPort] = ports
process.stdout.write(`${JSON.stringify({ http: httpPort, raw: rawPort, dns: dns.server })}\n`)
