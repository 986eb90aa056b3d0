import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { configureWith, spawnProxy, startProxy } from '../../support/egress/proxy-process.ts'
import { exchange, read, send } from '../../support/egress/raw-client.ts'

test('nothing listens before a valid configuration, then the socket is open to every user', async () => {
  await using proxy = await spawnProxy()
  await proxy.waitFor('hello')
  expect(existsSync(proxy.socketPath)).toBe(false)
  proxy.send(configureWith({ identity: { uid: 1234, gid: 5, name: 'ada', home: '/home/agent' } }))
  await proxy.waitFor('ready')
  expect((await stat(proxy.socketPath)).mode & 0o777).toBe(0o666)
  expect(await readFile(`${proxy.folder}/passwd`, 'utf8')).toMatch(/^ada:x:1234:5::\/home\/agent:/)
  expect(await readFile(`${proxy.folder}/group`, 'utf8')).toMatch(/^ada:x:5:/)
})

test('the end of stdin ends the proxy with 0', async () => {
  await using proxy = await startProxy({})
  proxy.child.stdin?.end()
  expect(await proxy.exited).toBe(0)
})

test.for([
  ['text that is no JSON', 'hello\n'],
  ['an unknown message', '{"type":"surprise"}\n'],
  ['an unknown key', `${JSON.stringify({ ...configureWith({}), extra: 1 })}\n`],
  ['another version', `${JSON.stringify({ ...configureWith({}), version: 2 })}\n`],
  ['a line of more than 1 MiB', 'x'.repeat(1_100_000)],
  [
    'a credential over http',
    `${JSON.stringify(
      configureWith({
        gateway: [
          {
            id: 'm',
            preset: 'openai',
            origin: 'http://m.test',
            credential: { header: 'authorization', value: 'sk-real' },
          },
        ],
      }),
    )}\n`,
  ],
] as const)('%s ends it with 78, unheard', async ([, text]) => {
  await using proxy = await spawnProxy()
  await proxy.waitFor('hello')
  proxy.sendRaw(text)
  const refused = await proxy.waitFor('refused')
  expect(refused.error).not.toContain('sk-real')
  expect(await proxy.exited).toBe(78)
  expect(existsSync(proxy.socketPath)).toBe(false)
})

test('a second configuration ends it with 78', async () => {
  await using proxy = await startProxy({})
  proxy.send(configureWith({}))
  expect(await proxy.exited).toBe(78)
})

test('a socket that cannot be made is a refusal', async () => {
  await using proxy = await spawnProxy({ GLOVEBOX_SOCKET: '/dev/null/egress.sock' })
  proxy.send(configureWith({}))
  await proxy.waitFor('refused')
  expect(await proxy.exited).toBe(78)
})

test('Node settings that undo its checks are refused', async () => {
  await using proxy = await spawnProxy({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
  await proxy.waitFor('refused')
  expect(await proxy.exited).toBe(78)
})

test('ten seconds without a message end it with 75', { timeout: 20_000 }, async () => {
  await using beating = await startProxy({})
  await using silent = await startProxy({})
  silent.stopBeating()
  const started = performance.now()
  expect(await silent.exited).toBe(75)
  expect(performance.now() - started).toBeGreaterThan(9_000)
  expect(beating.child.exitCode).toBeNull()
})

const UPGRADE =
  'GET /.glovebox/control HTTP/1.1\r\nHost: glovebox\r\nConnection: Upgrade\r\nUpgrade: glovebox-control\r\n\r\n'

test('the first control stream of a session carries messages both ways, a second is refused', async () => {
  await using proxy = await startProxy({})
  const init = proxy.connect()
  send(init, UPGRADE)
  const answered = await read(init, { enough: (text) => text.includes('}\n') })
  expect(answered.status).toBe(101)
  expect(answered.text).toContain('\r\n\r\n{"type":"names","rules":[],"deny":[]}\n')
  await proxy.waitFor('init-connected')
  init.write('{"type":"hello",')
  init.write('"version":1}\n{"type":"agent-started","pid":7}\n')
  await proxy.waitFor('from-init', ({ message }) => message['pid'] === 7)
  proxy.send({ type: 'to-init', message: { type: 'heartbeat' } })
  const beat = await read(init, { enough: (text) => text.includes('\n') })
  expect(beat.text).toBe('{"type":"heartbeat"}\n')

  const second = await exchange(proxy.connect(), UPGRADE)
  expect(second.status).toBe(403)
  expect(second.header('x-egress-reason')).toBe('control_refused')
  const decision = await proxy.waitFor('decision', ({ kind }) => kind === 'control')
  expect(decision.verdict).toBe('deny')

  init.destroy()
  await proxy.waitFor('init-closed')
  expect((await exchange(proxy.connect(), UPGRADE)).status).toBe(403)
})

test('garbage on the control stream closes it', async () => {
  await using proxy = await startProxy({})
  const init = proxy.connect()
  send(init, `${UPGRADE}not json\n`)
  expect((await proxy.waitFor('init-closed')).type).toBe('init-closed')
  expect(proxy.messages.some(({ type }) => type === 'from-init')).toBe(false)
})

test('a name that init refused is a decision of the proxy, and is not passed on', async () => {
  await using proxy = await startProxy({})
  const init = proxy.connect()
  send(init, UPGRADE)
  await proxy.waitFor('init-connected')
  proxy.send({ type: 'turn', turn: 't7' })
  init.write('{"type":"agent-started","pid":7}\n{"type":"name-refused","name":"Evil.test"}\n')
  const decision = await proxy.waitFor('decision')
  expect(decision).toMatchObject({
    kind: 'dns',
    verdict: 'deny',
    reason: 'host_not_allowed',
    host: 'Evil.test',
  })
  const passed = proxy.messages.filter(({ type }) => type === 'from-init')
  expect(passed).toHaveLength(1)
  init.destroy()
})
