import { once } from 'node:events'
import { connect, createServer } from 'node:net'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { watchHeartbeat } from '../../../container/init/heartbeat.ts'

/** Milliseconds. */
const TIMEOUT = 50

/** Holds the whole process still, as a frozen container does. */
const freeze = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

test('a beat that arrived while this process was paused counts', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.int() }).parse(server.address())
  const sender = connect(port, '127.0.0.1')
  const [receiver] = await once(server, 'connection')

  let lost = false
  const beat = watchHeartbeat(() => (lost = true), TIMEOUT)
  receiver.on('data', beat)
  sender.write('beat')
  freeze(2 * TIMEOUT)
  await new Promise((resolve) => setTimeout(resolve, TIMEOUT / 2))
  expect(lost).toBe(false)

  freeze(2 * TIMEOUT)
  await new Promise((resolve) => setTimeout(resolve, TIMEOUT / 2))
  expect(lost).toBe(true)
  sender.destroy()
  server.close()
})
