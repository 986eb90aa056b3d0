import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { startInit } from '../../support/init/init-process.ts'
import { proxySocket } from '../../support/init/proxy-socket.ts'

const TINI = '/usr/bin/tini'

test.concurrent('input that ends while the socket is waited for ends init at once', async () => {
  await using init = await startInit(['cat'], { socket: '/nonexistent/egress.sock' })
  init.child.stdin.end('something unread')
  const { code, at } = await init.exit
  expect(code).toBe(0)
  expect(at).toBeLessThan(5_000)
  expect(init.stdout()).toHaveLength(0)
})

test.concurrent('a refused control stream is told with exit 69', async () => {
  await using proxy = await proxySocket({ refuse: true })
  await using init = await startInit(['cat'], { socket: proxy.path })
  expect(await init.exit).toMatchObject({ code: 69 })
  expect(init.stderr()).toContain('refused the control stream with status 403.')
})

test.concurrent('a port that is taken is told with exit 69 and no agent starts', async () => {
  await using proxy = await proxySocket()
  await using first = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')
  await using other = await proxySocket()
  const env = { GLOVEBOX_INIT_PORTS: String(first.ports[0]) }
  await using second = await startInit(['cat'], { socket: other.path, env })
  expect(await second.exit).toMatchObject({ code: 69 })
  const port = `Port ${first.ports[0]} of 127.0.0.1`
  expect(second.stderr()).toBe(`glovebox-init: ${port} cannot be listened on: EADDRINUSE.\n`)
  expect(other.said.map((message) => message['type'])).not.toContain('agent-started')
})

test.concurrent('a command that does not exist is told with exit 126', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['no-such-agent'], { socket: proxy.path })
  expect(await init.exit).toMatchObject({ code: 126 })
  expect(init.stderr()).toContain('no-such-agent could not be started in ')
})

test.concurrent('no command at all is told with exit 64', async () => {
  await using init = await startInit([], { socket: '/nonexistent/egress.sock' })
  expect(await init.exit).toMatchObject({ code: 64 })
  expect(init.stderr()).toContain('No agent command was given')
})

test.concurrent('the control stream does not go through the proxy variables', async () => {
  await using proxy = await proxySocket()
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '' }
  await using init = await startInit(['true'], { socket: proxy.path, env })
  expect(await init.exit).toMatchObject({ code: 0 })
  expect(proxy.requests[0]?.headers).toMatchObject({ upgrade: 'glovebox-control' })
})

test.concurrent("the agent gets init's environment without init's own settings", async () => {
  await using proxy = await proxySocket()
  const env = { HOME: '/home/agent', LANG: 'C.UTF-8' }
  await using init = await startInit(['env'], { socket: proxy.path, env })
  await init.exit
  const seen = init.stdout().toString().trim().split('\n').toSorted()
  expect(seen.map((line) => line.split('=')[0])).toEqual(['HOME', 'LANG', 'PATH'])
})

test.concurrent('the agent starts in the folder that PWD names, in its spelling', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'glovebox-cwd-'))
  const link = `${folder}-link`
  await symlink(folder, link)
  await using proxy = await proxySocket()
  const options = { socket: proxy.path, cwd: folder, env: { PWD: link } }
  await using init = await startInit(['sh', '-c', 'echo "$PWD"; pwd -P'], options)
  await init.exit
  await Promise.all([rm(folder, { recursive: true }), rm(link)])
  expect(init.stdout().toString()).toBe(`${link}\n${folder}\n`)
})

test.concurrent('under tini, exit codes pass, SIGTERM reaches the agent, and orphans do not delay', async () => {
  await using proxy = await proxySocket()
  const script = 'trap "exit 9" TERM; (sleep 30 &) ; echo up; while :; do sleep 0.1; done'
  const options = { socket: proxy.path, tini: TINI }
  await using init = await startInit(['sh', '-c', script], options)
  await init.printed('up')
  init.child.stdin.end()
  const { code, at } = await init.exit
  expect(code).toBe(9)
  expect(at).toBeLessThan(5_000)
  expect(init.stderr()).toBe('')
})
