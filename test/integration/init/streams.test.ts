import { createHash, randomBytes } from 'node:crypto'
import { type Socket, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

import { expect, test } from 'vitest'

import { startInit } from '../../support/init/init-process.ts'
import { proxySocket } from '../../support/init/proxy-socket.ts'

const MEGABYTE = 1024 * 1024
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A CONNECT through init's first port; resolves with the tunnel. */
function tunnel(port: number, authority: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
    socket.once('error', reject)
    const answer = 'HTTP/1.1 200 OK\r\n\r\n'
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      if (chunk.length > answer.length) socket.unshift(chunk.subarray(answer.length))
      resolve(socket)
    })
  })
}

test.concurrent('ten megabytes of random bytes pass both ways unchanged, past a slow agent', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['sh', '-c', 'sleep 0.5; exec cat'], { socket: proxy.path })
  const sent = randomBytes(10 * MEGABYTE)
  init.child.stdin.write(sent)
  while (init.stdout().length < sent.length) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  init.child.stdin.end()
  await init.exit
  expect(sha256(init.stdout())).toBe(sha256(sent))
})

test.concurrent('input is held back while the agent does not read', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['sleep', '30'], { socket: proxy.path })
  await proxy.heard('agent-started')
  init.child.stdin.write(Buffer.alloc(16 * MEGABYTE))
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(init.child.stdin.writableLength).toBeGreaterThan(13 * MEGABYTE)
})

test.concurrent('64 connections at once each get their own bytes back', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')
  const results = await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      const socket = await tunnel(init.ports[index % 2] ?? 0, 'echo.test:443')
      const sent = randomBytes(200_000)
      socket.end(sent)
      const got = await buffer(socket)
      return sha256(got) === sha256(sent)
    }),
  )
  expect(results).toEqual(Array.from({ length: 64 }, () => true))
})

test.concurrent('ten megabytes pass through a connection both ways at once', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')
  const socket = await tunnel(init.ports[0] ?? 0, 'echo.test:443')
  const sent = randomBytes(10 * MEGABYTE)
  socket.end(sent)
  expect(sha256(await buffer(socket))).toBe(sha256(sent))
})

test.concurrent("the proxy's end is passed on while the client's side stays open, and the other way", async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')

  const download = await tunnel(init.ports[0] ?? 0, 'size.test:5000')
  expect(await buffer(download)).toHaveLength(5_000)
  expect(download.writable).toBe(true)
  download.destroy()

  const echo = await tunnel(init.ports[0] ?? 0, 'echo.test:443')
  echo.end('last words')
  expect((await buffer(echo)).toString()).toBe('last words')
})

test.concurrent('a client that vanishes and a proxy that vanishes leave init working', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')
  const vanishing = await tunnel(init.ports[0] ?? 0, 'echo.test:443')
  vanishing.resetAndDestroy()
  const cut = await tunnel(init.ports[0] ?? 0, 'cut.test:443')
  await buffer(cut).catch(() => {})
  cut.destroy()

  const socket = await tunnel(init.ports[0] ?? 0, 'echo.test:443')
  socket.end('again')
  expect((await buffer(socket)).toString()).toBe('again')
  init.child.stdin.end()
  expect(await init.exit).toMatchObject({ code: 0 })
  expect(init.stderr()).toBe('')
})
