import { expect, test } from 'vitest'

import { startInit } from '../../support/init/init-process.ts'
import { proxySocket } from '../../support/init/proxy-socket.ts'

/** Prints its pid, ignores the end of its input and whatever signals are named. */
const stubborn = (...signals: string[]) => [
  process.execPath,
  '-e',
  `for (const s of ${JSON.stringify(signals)}) process.on(s, () => console.log(s))
   process.stdin.on('end', () => console.log('end')).resume()
   setInterval(() => {}, 1000)
   console.log('ready', process.pid)`,
]

const node = (script: string) => [process.execPath, '-e', script]

/** False once the process is gone. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test.concurrent('the exit code of an agent that ends by itself is passed on and reported', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(node('process.exit(7)'), { socket: proxy.path })
  expect(await init.exit).toMatchObject({ code: 7, signal: null })
  expect(proxy.said).toEqual([
    { type: 'hello', version: 1, boot: expect.any(String), folders: [] },
    { type: 'agent-started', pid: expect.any(Number) },
    { type: 'agent-exited', code: 7, signal: null },
  ])
})

test.concurrent('the signal that ended an agent is passed on as 128 + its number and reported', async () => {
  await using proxy = await proxySocket()
  const agent = node('process.kill(process.pid, "SIGKILL")')
  await using init = await startInit(agent, { socket: proxy.path })
  expect(await init.exit).toMatchObject({ code: 137 })
  expect(proxy.said.at(-1)).toEqual({ type: 'agent-exited', code: null, signal: 'SIGKILL' })
})

test.concurrent('an agent whose input ends may end by itself, with its own exit code', async () => {
  await using proxy = await proxySocket()
  const agent = node('process.stdin.on("end", () => process.exit(3)).resume();console.log("up")')
  await using init = await startInit(agent, { socket: proxy.path })
  await init.printed('up')
  init.child.stdin.end()
  expect(await init.exit).toMatchObject({ code: 3 })
})

test.concurrent('an agent that ignores the end of its input gets SIGTERM a second later', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(stubborn(), { socket: proxy.path })
  await init.printed('ready')
  const asked = performance.now()
  init.child.stdin.end()
  expect(await init.exit).toMatchObject({ code: 143 })
  expect(performance.now() - asked).toBeGreaterThan(950)
  expect(performance.now() - asked).toBeLessThan(1_900)
  expect(init.stdout().toString()).toContain('end')
})

test.concurrent('an agent that ignores SIGTERM too is killed two seconds after its input ended', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(stubborn('SIGTERM'), { socket: proxy.path })
  await init.printed('ready')
  const asked = performance.now()
  init.child.stdin.end()
  expect(await init.exit).toMatchObject({ code: 137 })
  expect(performance.now() - asked).toBeGreaterThan(1_900)
  expect(performance.now() - asked).toBeLessThan(3_000)
  expect(init.stdout().toString()).toContain('SIGTERM')
  expect(lives(Number(init.stdout().toString().split(/\s/)[1]))).toBe(false)
})

test.concurrent('SIGTERM begins the same ladder at once', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(stubborn('SIGTERM'), { socket: proxy.path })
  await init.printed('ready')
  const asked = performance.now()
  init.child.kill('SIGTERM')
  await init.printed('end')
  expect(performance.now() - asked).toBeLessThan(900)
  expect(await init.exit).toMatchObject({ code: 137 })
  expect(performance.now() - asked).toBeLessThan(3_000)
})

test.concurrent('SIGINT does not end an agent', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')
  init.child.kill('SIGINT')
  init.child.stdin.write('still here')
  await init.printed('still here')
  init.child.stdin.end()
  expect(await init.exit).toMatchObject({ code: 0 })
})

test.concurrent('an agent ends when the control stream is lost', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(stubborn(), { socket: proxy.path })
  await init.printed('ready')
  proxy.hangUp()
  await init.printed('end')
  expect(await init.exit).toMatchObject({ code: 143 })
})

test.concurrent('an agent ends when garbage comes on the control stream', async () => {
  await using proxy = await proxySocket()
  await using init = await startInit(['cat'], { socket: proxy.path })
  await proxy.heard('agent-started')
  proxy.say('no json')
  expect(await init.exit).toMatchObject({ code: 0 })
})

test.concurrent('a grandchild that holds the output open does not keep init alive', async () => {
  await using proxy = await proxySocket()
  const agent = ['sh', '-c', 'sleep 30 & echo $!; exit 5']
  await using init = await startInit(agent, { socket: proxy.path })
  const { code, at } = await init.exit
  process.kill(Number(init.stdout().toString()))
  expect(code).toBe(5)
  expect(at).toBeLessThan(5_000)
})

test.concurrent('the end of input is seen while the agent does not read and a megabyte waits', async () => {
  await using proxy = await proxySocket()
  const agent = ['sh', '-c', 'echo up; exec sleep 30']
  await using init = await startInit(agent, { socket: proxy.path })
  await init.printed('up')
  init.child.stdin.end(Buffer.alloc(1024 * 1024))
  expect(await init.exit).toMatchObject({ code: 143 })
})

test.concurrent('an agent that closed its input lives on until the input ends', async () => {
  await using proxy = await proxySocket()
  const agent = ['sh', '-c', 'exec 0<&-; echo up; exec sleep 30']
  await using init = await startInit(agent, { socket: proxy.path })
  await init.printed('up')
  for (let i = 0; i < 32; i++) init.child.stdin.write(Buffer.alloc(256 * 1024))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(init.child.exitCode).toBeNull()
  init.child.stdin.end()
  expect(await init.exit).toMatchObject({ code: 143 })
})
