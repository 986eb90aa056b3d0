import { once } from 'node:events'
import { connect, createServer } from 'node:net'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { watchHeartbeat } from '../../../container/init/heartbeat.ts'
import { watchSilence } from '../../../egress-proxy/control/silence.ts'

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

test.for([
  ['init', (lost: () => void) => watchHeartbeat(lost, 2_500)],
  ['the proxy', (lost: () => void) => watchSilence(lost, 2_500)],
] as const)(
  'after a standstill of its own, %s gives the launcher some time to beat, and no more',
  async ([, watch]) => {
    let lost = 0
    const beat = watch(() => (lost = performance.now()))
    await new Promise((resolve) => setTimeout(resolve, 200))
    freeze(3_500)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(lost).toBe(0)
    beat()
    const begun = performance.now()
    await expect.poll(() => lost, { timeout: 8_000 }).toBeGreaterThan(0)
    expect(lost - begun).toBeLessThan(4_500)
  },
)
