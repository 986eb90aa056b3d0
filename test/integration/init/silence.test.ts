import { expect, test } from 'vitest'

import { startInit } from '../../support/init/init-process.ts'
import { proxySocket } from '../../support/init/proxy-socket.ts'

test.concurrent('an agent ends when the heart has not beaten for ten seconds', async () => {
  await using proxy = await proxySocket()
  const agent = [process.execPath, '-e', 'console.log("ready"); setInterval(() => {}, 1000)']
  await using init = await startInit(agent, { socket: proxy.path })
  await init.printed('ready')
  proxy.stopBeating()
  const { code, at } = await init.exit
  expect(code).toBe(143)
  expect(at).toBeGreaterThan(10_900)
  expect(at).toBeLessThan(14_500)
}, 20_000)

test.concurrent('a missing socket is waited for ten seconds, then told on stderr with exit 69', async () => {
  const socket = '/nonexistent/egress.sock'
  await using init = await startInit(['cat'], { socket })
  const { code, at } = await init.exit
  expect(code).toBe(69)
  expect(at).toBeGreaterThan(9_900)
  expect(init.stderr()).toBe(
    `glovebox-init: The egress proxy's socket ${socket} was not reachable for 10 s (ENOENT).\n`,
  )
  expect(init.stdout()).toHaveLength(0)
}, 20_000)
