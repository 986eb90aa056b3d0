import { expect, test } from 'vitest'

import { type InitProcess, startInit } from '../../support/init/init-process.ts'
import { type ProxySocket, proxySocket } from '../../support/init/proxy-socket.ts'

const TINI = '/usr/bin/tini'

/** Runs each line it reads in a shell, and prints what that prints. */
const shellAgent = [
  process.execPath,
  '-e',
  `const { spawn } = require('node:child_process')
   require('node:readline').createInterface({ input: process.stdin }).on('line', (line) =>
     spawn('sh', ['-c', line], { stdio: ['ignore', 'inherit', 'inherit'], detached: true }))
   console.log('ready')`,
]

/** False once the process is gone. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(seen: () => boolean): Promise<void> {
  while (!seen()) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function start(proxy: ProxySocket): Promise<InitProcess> {
  const init = await startInit(shellAgent, { socket: proxy.path, tini: TINI })
  await init.printed('ready')
  return init
}

/** Has the agent start something that prints `name=<pid>`. */
async function begin(init: InitProcess, name: string, command: string): Promise<number> {
  init.child.stdin.write(`${command}\n`)
  const found = new RegExp(`${name}=(\\d+)\n`)
  await until(() => found.test(init.stdout().toString()))
  return Number(found.exec(init.stdout().toString())?.[1])
}

const sleeper = (name: string, before = '') => `${before} echo ${name}=$$; exec sleep 60`
const deaf = (name: string) =>
  `setsid sh -c 'trap "" INT TERM HUP; (sh -c "echo ${name}=\\$\\$; exec sleep 60" &)'`

async function mark(proxy: ProxySocket, helpers: string[] = []): Promise<void> {
  proxy.say(JSON.stringify({ type: 'mark', turn: '1', helpers }))
  await proxy.heard('marked')
}

test.concurrent('a reap ends children and deaf daemons of the turn, spares what is older and helpers, and tells', async () => {
  await using proxy = await proxySocket()
  await using init = await start(proxy)
  const older = await begin(init, 'older', deaf('older'))
  await mark(proxy, ['sleep 61'])
  const child = await begin(init, 'child', sleeper('child'))
  const daemon = await begin(init, 'daemon', deaf('daemon'))
  const helper = await begin(init, 'helper', 'echo helper=$$; exec sleep 61')
  const begun = performance.now()
  proxy.say('{"type":"reap","id":5}')
  const { processes, ...report } = await proxy.heard('reaped')
  expect(performance.now() - begun).toBeLessThan(1_600)
  expect(report).toEqual({ type: 'reaped', id: 5, count: 2, left: 0 })
  expect(processes).toEqual(
    expect.arrayContaining([
      { pid: child, command: 'sleep 60' },
      { pid: daemon, command: 'sleep 60' },
    ]),
  )
  expect([older, helper, child, daemon].map(lives)).toEqual([true, true, false, false])
  await begin(init, 'after', sleeper('after'))
  for (const pid of [older, helper]) process.kill(pid, 'SIGKILL')
})

test.concurrent('a polite child ends by SIGINT at once', async () => {
  await using proxy = await proxySocket()
  await using init = await start(proxy)
  await mark(proxy)
  // Deaf to SIGTERM, so that only SIGINT ends it before SIGKILL does.
  const child = await begin(init, 'child', `trap '' TERM; ${sleeper('child')}`)
  const begun = performance.now()
  proxy.say('{"type":"reap","id":1}')
  await proxy.heard('reaped')
  expect(performance.now() - begun).toBeLessThan(600)
  expect(lives(child)).toBe(false)
})

test.concurrent('a stopped child is ended too', async () => {
  await using proxy = await proxySocket()
  await using init = await start(proxy)
  await mark(proxy)
  const child = await begin(init, 'child', sleeper('child'))
  process.kill(child, 'SIGSTOP')
  proxy.say('{"type":"reap","id":1}')
  expect(await proxy.heard('reaped')).toMatchObject({ count: 1, left: 0 })
  expect(lives(child)).toBe(false)
})

test.concurrent('without a mark a reap ends nothing', async () => {
  await using proxy = await proxySocket()
  await using init = await start(proxy)
  const child = await begin(init, 'child', sleeper('child'))
  proxy.say('{"type":"reap","id":1}')
  expect(await proxy.heard('reaped')).toMatchObject({ processes: [], left: 0 })
  expect(lives(child)).toBe(true)
})

test.concurrent('SIGINT to init is a reap without an id, and init lives on', async () => {
  await using proxy = await proxySocket()
  await using init = await start(proxy)
  await mark(proxy)
  const child = await begin(init, 'child', sleeper('child'))
  init.child.kill('SIGINT')
  const report = await proxy.heard('reaped')
  expect(report).toMatchObject({ count: 1, left: 0 })
  expect(report).not.toHaveProperty('id')
  expect(lives(child)).toBe(false)
  await begin(init, 'after', sleeper('after'))
})

test.concurrent('a mark behind a reap waits for it, so that it names nothing the reap was to end', async () => {
  await using proxy = await proxySocket()
  await using init = await start(proxy)
  await mark(proxy)
  await begin(init, 'daemon', deaf('daemon'))
  proxy.say('{"type":"reap","id":1}')
  proxy.say('{"type":"mark","turn":"2","helpers":[]}')
  await until(() => proxy.said.filter(({ type }) => type === 'marked').length === 2)
  expect(proxy.said.map(({ type }) => type).slice(-2)).toEqual(['reaped', 'marked'])
})
