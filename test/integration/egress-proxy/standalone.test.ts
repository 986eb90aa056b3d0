import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { startOrigin } from '../../support/egress/origin.ts'
import { type ProxyProcess, spawnProxy } from '../../support/egress/proxy-process.ts'
import { exchange, read, send, wholeResponse } from '../../support/egress/raw-client.ts'
import { scratchFolder } from '../../support/scratch.ts'

async function listening(proxy: ProxyProcess): Promise<void> {
  const failed = proxy.exited.then((code) => {
    throw new Error(`exit ${code}: ${proxy.stderr()}`)
  })
  const ready = new Promise<void>((resolve) => {
    proxy.child.stderr?.on('data', () => {
      if (proxy.stderr().includes('"ready"')) resolve()
    })
  })
  await Promise.race([ready, failed])
}

async function openControl(proxy: ProxyProcess) {
  const socket = proxy.connect()
  const fields = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: glovebox-control\r\n'
  send(socket, `GET /.glovebox/control HTTP/1.1\r\n${fields}\r\n`)
  const { status } = await read(socket, { enough: (text) => text.includes('\r\n\r\n') })
  return { socket, status }
}

test('a configuration file with a secret in another file needs no launcher', async () => {
  await using folder = await scratchFolder()
  await using origin = await startOrigin()
  const secret = join(folder.path, 'key')
  const config = join(folder.path, 'config.json')
  await writeFile(secret, 'sk-from-file\n')
  const route = {
    id: 'local',
    preset: 'openai',
    origin: `http://127.0.0.1:${origin.port}`,
    credential: { header: 'authorization', value_file: secret },
    insecure_http: true,
    allow_private: ['127.0.0.1/32'],
  }
  await writeFile(config, JSON.stringify({ rules: [], gateway: [route] }))
  await using proxy = await spawnProxy({}, ['--config', config])
  await listening(proxy)
  proxy.child.stdin?.end()
  const bytes = 'POST /local/v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'
  const answer = await exchange(proxy.connect(), bytes, { enough: wholeResponse })
  expect(answer.status).toBe(200)
  expect(origin.requests[0]?.headers).toContain('Bearer sk-from-file')
  await proxy.waitFor('decision', ({ kind }) => kind === 'gateway')
  const close = await proxy.waitFor('close')
  expect(close.status).toBe(200)

  const { socket: init } = await openControl(proxy)
  const beat = await read(init, { enough: (text) => text.includes('heartbeat') })
  expect(beat.text).toContain('{"type":"heartbeat"}\n')
  init.destroy()
  // The next container of the same compose project.
  await expect.poll(async () => (await openControl(proxy)).status).toBe(101)
  proxy.child.kill('SIGTERM')
  expect(await proxy.exited).toBe(0)
})

test.for([
  ['an unknown key', '{"rules":[],"rule":[]}', /rule/],
  ['text that is no JSON', '{', /not JSON|SyntaxError|cannot be read/],
  [
    'a secret that is not there',
    JSON.stringify({
      rules: [],
      gateway: [
        {
          id: 'm',
          preset: 'openai',
          origin: 'https://m.test',
          credential: { header: 'authorization', value_file: '/nonexistent/key' },
        },
      ],
    }),
    /gateway\.m\.credential/,
  ],
] as const)('%s stops it with 78 and a sentence', async ([, text, expected]) => {
  await using folder = await scratchFolder()
  const config = join(folder.path, 'config.json')
  await writeFile(config, text)
  await using proxy = await spawnProxy({}, ['--config', config])
  expect(await proxy.exited).toBe(78)
  expect(proxy.stderr()).toMatch(expected)
})

test('an unknown flag stops it with 64', async () => {
  await using proxy = await spawnProxy({}, ['--confg', 'x'])
  expect(await proxy.exited).toBe(64)
  expect(proxy.stderr()).toContain('--config FILE')
})
