import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { StartedContainer } from '../../src/docker/engine.ts'
import type { Editor } from '../support/e2e/editor.ts'
import { TEST_ULIMITS } from '../support/e2e/outside.ts'
import { search } from '../support/e2e/search.ts'
import { World } from '../support/e2e/world.ts'

let world: World
let editor: Editor
let session: string
let agent: StartedContainer

beforeAll(async () => {
  world = await World.open()
  editor = world.editor()
  session = await editor.open(world.project)
  const ours = await world.engine.list(`glovebox.project=${world.project}`)
  agent = world.engine.container(ours[0]?.id ?? '')
})

afterAll(async () => {
  await editor?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

/** Runs a script inside, as the agent's own user; its JSON. */
async function inside(script: string): Promise<unknown> {
  const { stdout, stderr, exitCode } = await agent.exec(['node', '-e', script])
  if (exitCode !== 0) throw new Error(`${exitCode}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

describe('the agent’s container', () => {
  it('[G-NET] has no network, no capabilities, a read-only root and no engine log', async () => {
    const { HostConfig } = await agent.inspect()
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      LogConfig: { Type: 'none' },
      AutoRemove: true,
    })
    const status = await inside(`
      const status = require('node:fs').readFileSync('/proc/self/status', 'utf8')
      const field = (name) => new RegExp(name + ':\\\\s*(\\\\S+)').exec(status)[1]
      console.log(JSON.stringify(Object.fromEntries(
        ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp'].map((name) => [name, field(name)]))))
    `)
    expect(status).toEqual({
      CapEff: '0000000000000000',
      CapPrm: '0000000000000000',
      CapBnd: '0000000000000000',
      CapAmb: '0000000000000000',
      NoNewPrivs: '1',
      Seccomp: '2',
    })
  })

  it('[G-NET] has loopback only: no other interface and no route', async () => {
    expect(
      await inside(`
        const fs = require('node:fs')
        console.log(JSON.stringify({
          interfaces: fs.readdirSync('/sys/class/net'),
          routes: fs.readFileSync('/proc/net/route', 'utf8').trim().split('\\n').length - 1,
        }))
      `),
    ).toEqual({ interfaces: ['lo'], routes: 0 })
  })

  it('[G-MOUNT] sees the project at its own path and no other mount of the host', async () => {
    const { Mounts } = await agent.inspect()
    const host = Mounts.filter(({ Type }) => Type === 'bind')
    expect(host.map(({ Source, Destination, RW }) => ({ Source, Destination, RW }))).toEqual([
      { Source: world.project, Destination: world.project, RW: true },
    ])
    const volumes = Mounts.filter(({ Type }) => Type !== 'bind')
    expect(volumes.toSorted((a, b) => a.Destination.localeCompare(b.Destination))).toMatchObject([
      { Destination: '/run/glovebox', RW: false },
      { Destination: '/var/lib/agent', RW: true },
    ])
  })

  it('lets programs find their own user', async () => {
    expect(
      await inside(
        `console.log(JSON.stringify({ ...require('node:os').userInfo(), shell: undefined }))`,
      ),
    ).toMatchObject({ username: 'agent', homedir: '/home/agent' })
    expect((await agent.exec(['id', '-un'])).stdout).toBe('agent\n')
    expect((await agent.exec(['git', 'init', '/tmp/repository'])).exitCode).toBe(0)
    expect((await agent.exec(['git', '-C', '/tmp/repository', 'status'])).exitCode).toBe(0)
    expect((await agent.exec(['ssh', '-G', 'allowed.test'])).stdout).toContain('user agent')
  })

  it('has an environment of known names only', async () => {
    const names = (await inside(`
      const text = require('node:fs').readFileSync('/proc/' + agentPid() + '/environ', 'utf8')
      console.log(JSON.stringify(text.split('\\0').filter(Boolean).map((entry) => entry.split('=')[0]).sort()))
      function agentPid() {
        const fs = require('node:fs')
        return fs.readdirSync('/proc').find((pid) => /^\\d+$/.test(pid) &&
          fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').startsWith('node\\0/opt/glovebox/agent.mjs'))
      }
    `)) as string[]
    const allowed =
      /^(PATH|HOME|HOSTNAME|container|LANG|LC_\w+|TERM|TZ|NODE_VERSION|YARN_VERSION|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|NODE_USE_ENV_PROXY|npm_config_(https_)?proxy|GIT_TERMINAL_PROMPT|GLOVEBOX_(PROVIDER|MODEL|BASE_URL|API_KEY|STATE))$/
    expect(names.filter((name) => !allowed.test(name))).toEqual([])
  })
})

describe('the key', () => {
  it('[G-KEY] is nowhere in the container, where the same search finds a planted one', async () => {
    await editor.prompt(session, 'demo: run echo hello')
    const requests = await world.outside.modelRequests()
    expect(requests.length).toBeGreaterThan(0)
    const id = agent.id
    expect(await search(world.engine, id, world.outside.key)).toEqual({
      inspect: false,
      environment: false,
      files: false,
      memory: false,
    })
  })

  it('[G-KEY] would be found by the search in each place', async () => {
    const { Image } = await agent.inspect()
    const canary = `sk-canary-${'0123456789abcdef'.repeat(2)}`
    const { Id } = await world.outside.api<{ Id: string }>('POST', '/containers/create', {
      Image,
      Entrypoint: [
        'node',
        '-e',
        `require('node:fs').writeFileSync('/tmp/planted', process.env.CANARY); setInterval(() => {}, 1000)`,
      ],
      Env: [`CANARY=${canary}`],
      User: '1234:1234',
      HostConfig: { NetworkMode: 'none', Ulimits: TEST_ULIMITS },
    })
    try {
      await world.outside.api('POST', `/containers/${Id}/start`)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      expect(await search(world.engine, Id, canary)).toEqual({
        inspect: true,
        environment: true,
        files: true,
        memory: true,
      })
    } finally {
      await world.outside.api('DELETE', `/containers/${Id}?force=1`)
    }
  })
})

describe('the way out', () => {
  const fetched = (url: string): string => `
    fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(5000) }).then(
      async (response) => console.log(JSON.stringify({ status: response.status, reason: response.headers.get('x-egress-reason') ?? '', body: (await response.text()).slice(0, 200) })),
      (error) => console.log(JSON.stringify({ failed: String(error.cause?.code ?? error.message) })))
  `
  const dialled = (host: string, port: number): string => `
    const socket = require('node:net').connect({ host: ${JSON.stringify(host)}, port: ${port}, timeout: 3000 })
    const say = (what) => { console.log(JSON.stringify(what)); process.exit() }
    socket.on('connect', () => say('connected')).on('error', (error) => say(error.code)).on('timeout', () => say('timeout'))
  `

  it('[G-EGRESS] leads to an allowed host through the proxy', async () => {
    const { named } = world.outside
    const answer = await inside(fetched('http://allowed.test:8080/hi'))
    // Where the engine has no names the proxy passes the rule and then finds nobody.
    const nobody = { failed: expect.any(String) }
    expect(answer).toMatchObject(named ? { status: 200, body: 'hello from outside' } : nobody)
    const decided = async () =>
      (await world.audit())
        .filter(({ type, host }) => type === 'egress.decision' && host === 'allowed.test')
        .map((record) => [record['kind'], record['rule'], record['verdict']])
    const tunnel = ['connect', 'allowed', 'allow']
    const request = ['http', 'allowed', 'allow']
    await expect.poll(decided).toEqual(named ? [tunnel, request] : [tunnel])
    await expect
      .poll(() => world.outside.requests())
      .toEqual(named ? ['GET allowed.test:8080/hi'] : [])
  })

  it('[G-EGRESS] leads nowhere else, and the refusal says why and is recorded', async () => {
    const before = await world.outside.requests()
    const { HTTP_PROXY } = (await inside(`console.log(JSON.stringify(process.env))`)) as Record<
      string,
      string
    >
    expect(HTTP_PROXY).toBe('http://127.0.0.1:3128')
    const answer = await inside(`
      require('node:http').get({ host: '127.0.0.1', port: 3128, path: 'http://forbidden.test:8080/', headers: { host: 'forbidden.test:8080' } },
        (response) => { console.log(JSON.stringify({ status: response.statusCode, reason: response.headers['x-egress-reason'] })); process.exit() })
    `)
    expect(answer).toEqual({ status: 403, reason: 'host_not_allowed' })
    expect(await world.outside.requests()).toEqual(before)
    const denied = (await world.audit()).filter(
      (record) => record.type === 'egress.decision' && record['host'] === 'forbidden.test',
    )
    expect(denied).toMatchObject([
      { verdict: 'deny', reason: 'host_not_allowed', session: expect.any(String) },
    ])
  })

  it('[G-NET] is the only one: host, sibling and names are out of reach from inside and in reach outside', async () => {
    const { hostAddress, named } = world.outside
    const sibling = await world.outside.address()
    const server: Server = createServer((socket) => socket.on('error', () => undefined).end('host'))
    server.listen(0, hostAddress)
    await once(server, 'listening')
    const port = (server.address() as { port: number }).port
    const byName = named ? dialled('allowed.test', 8080) : dialled('host.containers.internal', port)
    try {
      expect(
        JSON.parse(await world.outside.control(['node', '-e', dialled(hostAddress, port)])),
      ).toBe('connected')
      expect(JSON.parse(await world.outside.control(['node', '-e', dialled(sibling, 8080)]))).toBe(
        'connected',
      )
      expect(JSON.parse(await world.outside.control(['node', '-e', byName]))).toBe('connected')
      expect(await inside(dialled(hostAddress, port))).toMatch(/ENETUNREACH|EHOSTUNREACH/)
      expect(await inside(dialled(sibling, 8080))).toMatch(/ENETUNREACH|EHOSTUNREACH/)
      expect(await inside(dialled('forbidden.test', 8080))).toMatch(/ENOTFOUND|EAI_AGAIN/)
    } finally {
      server.close()
    }
  })

  it('[G-AUDIT] every start, decision and question is in a log whose chain holds', async () => {
    const records = await world.audit()
    const types = new Set(records.map(({ type }) => type))
    for (const type of [
      'open',
      'container.create',
      'container.start',
      'egress.decision',
      'permission.asked',
      'permission.answer',
      'tool_call',
    ]) {
      expect(types).toContain(type)
    }
    expect(JSON.stringify(records)).not.toContain(world.outside.key)
  })
})
