import { describe, expect, test } from 'vitest'

import { dockerodeEngine } from '../../../src/docker/dockerode-engine.ts'
import type { ContainerBody, Engine } from '../../../src/docker/engine.ts'
import { proxyContainer } from '../../../src/docker/hardening.ts'
import {
  type Answers,
  fakeEngine,
  fakeInfo,
  hangUp,
  silence,
} from '../../support/engine/fake-engine.ts'

const image = `sha256:${'a'.repeat(64)}`
const body: ContainerBody = proxyContainer({
  engine: fakeInfo(),
  image,
  labels: { glovebox: '1' },
  hard: {},
  env: { A: 'b' },
})
const CREATED = {
  'POST /containers/create': { status: 201, json: { Id: 'abc', Warnings: ['slow'] } },
}

async function withEngine(answers: Answers) {
  const fake = await fakeEngine(answers)
  return Object.assign(fake, { engine: await dockerodeEngine(fake.info) })
}

const INSPECT = { State: { Running: true } }

const message = (text: string) => ({ json: { message: text } })

describe('create', () => {
  test('sends the body as it is, once, and gives the warnings', async () => {
    await using fake = await withEngine(CREATED)
    const created = await fake.engine.create(body)
    expect(created).toMatchObject({ id: 'abc', warnings: ['slow'] })
    expect(JSON.parse(fake.seen[0]?.body ?? '')).toEqual(body)
    expect(fake.seen[0]?.path).toBe('/containers/create')
  })

  test('connects each further network, and removes the container when one fails', async () => {
    await using fake = await withEngine({
      ...CREATED,
      'POST /networks/one/connect': { json: {} },
      'POST /networks/two/connect': { status: 404, ...message('network two not found') },
      'DELETE /containers/abc': { status: 204, json: '' },
    })
    await expect(fake.engine.create(body, ['one', 'two'])).rejects.toThrow(
      'The engine could not connect the container to two: network two not found.',
    )
    expect(fake.seen.at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/containers/abc?force=true&v=true',
    })
  })
})

const container = async (engine: Engine) => await engine.create(body)

type Use = (engine: Engine) => Promise<unknown>
test.for<[string, Answers, Use, string]>([
  [
    'the words of the engine',
    { 'POST /containers/create': { status: 400, ...message('invalid mount config') } },
    (engine) => engine.create(body),
    'The engine could not create the container: invalid mount config.',
  ],
  [
    'a start that fails',
    { ...CREATED, 'POST /containers/abc/start': { status: 500, ...message('OCI runtime: no') } },
    async (engine) => await (await container(engine)).start(),
    'The engine could not start the container: OCI runtime: no.',
  ],
  [
    'a connection that is closed',
    { 'GET /containers/json': hangUp },
    (engine) => engine.list('x'),
    'does not answer (ECONNRESET)',
  ],
  [
    'an answer of another shape',
    { 'GET /containers/json': { json: [{ hello: 1 }] } },
    (engine) => engine.list('x'),
    'not what an engine of its version says',
  ],
  [
    'an inspect of another shape',
    { ...CREATED, 'GET /containers/abc/json': { json: { Id: 'abc' } } },
    async (engine) => await (await container(engine)).inspect(),
    'not what an engine of its version says',
  ],
  [
    'an image that cannot be inspected',
    { 'GET /images/x/json': { status: 500, ...message('layer lost') } },
    (engine) => engine.image('x'),
    'layer lost',
  ],
  [
    'a pull that fails in the middle of its stream',
    {
      'POST /images/create': (response) =>
        void response.end('{"status":"Pulling"}\n{"error":"manifest unknown"}\n'),
    },
    (engine) => engine.pull('registry.example/x:1', () => undefined),
    'The engine could not pull registry.example/x:1: manifest unknown.',
  ],
])('%s become one sentence of engine_failed', async ([, answers, use, expected]) => {
  await using fake = await withEngine(answers)
  await expect(use(fake.engine)).rejects.toMatchObject({
    code: 'engine_failed',
    message: expect.stringContaining(expected),
  })
})

test('an engine that went away is one sentence with what to do', async () => {
  const fake = await withEngine({})
  await fake[Symbol.asyncDispose]()
  await expect(fake.engine.list('x')).rejects.toMatchObject({
    message: expect.stringContaining('does not answer (ENOENT)'),
    fix: expect.stringContaining('docker info'),
  })
})

describe('things that are gone', () => {
  const gone = { status: 404, ...message('no such thing') }

  test('an unknown image is undefined', async () => {
    await using fake = await withEngine({ 'GET /images/x/json': gone })
    expect(await fake.engine.image('x')).toBeUndefined()
  })

  test.for([404, 409])(
    'removing a container the engine answers %i for is no error',
    async (status) => {
      await using fake = await withEngine({
        ...CREATED,
        'DELETE /containers/abc': { status, ...message('gone or going') },
      })
      const created = await container(fake.engine)
      await created.remove()
      await created.remove()
      expect(fake.seen.filter((one) => one.method === 'DELETE')).toHaveLength(2)
    },
  )

  test('a container that is just ending as it is removed is removed at a later try', async () => {
    let tries = 0
    await using fake = await withEngine({
      'DELETE /containers/abc': (response) => {
        tries += 1
        const text = JSON.stringify({ message: 'container state improper: stopped' })
        response.writeHead(tries < 3 ? 500 : 404, { 'Content-Type': 'application/json' }).end(text)
      },
    })
    await fake.engine.container('abc').remove()
    expect(tries).toBe(3)
  })

  test('a container the engine cannot remove is an error in its words', async () => {
    await using fake = await withEngine({
      'DELETE /containers/abc': { status: 500, ...message('device or resource busy') },
    })
    await expect(fake.engine.container('abc').remove()).rejects.toThrow('resource busy')
  })

  test.for([
    [204, true],
    [404, true],
    [409, false],
  ] as const)(
    'removing a volume the engine answers %i for gives %s',
    async ([status, expected]) => {
      await using fake = await withEngine({ 'DELETE /volumes/v': { status, ...message('x') } })
      expect(await fake.engine.removeVolume('v')).toBe(expected)
    },
  )

  test.for<[string, Answers[string]]>([
    ['gone', gone],
    ['still listed', { json: { ...INSPECT, State: { ...INSPECT.State, Running: false } } }],
  ])('a signal to a container that ended and is %s is no error', async ([, found]) => {
    await using fake = await withEngine({
      'POST /containers/abc/kill': { status: 500, ...message('not running') },
      'GET /containers/abc/json': found,
    })
    await fake.engine.container('abc').kill('SIGTERM')
    expect(fake.seen[0]?.path).toBe('/containers/abc/kill?signal=SIGTERM')
  })
})

test('a signal that does not reach a running container is an error', async () => {
  await using fake = await withEngine({
    'POST /containers/abc/kill': { status: 500, ...message('no such signal') },
    'GET /containers/abc/json': { json: INSPECT },
  })
  await expect(fake.engine.container('abc').kill('SIGTERM')).rejects.toThrow('no such signal')
})

describe('wait', () => {
  const wait = 'POST /containers/abc/wait'
  const START = { ...CREATED, 'POST /containers/abc/start': { status: 204, json: '' } }

  test('is asked before the start, and gives the exit code', async () => {
    await using fake = await withEngine({ ...START, [wait]: { json: { StatusCode: 3 } } })
    const started = await (await container(fake.engine)).start()
    expect(await started.wait()).toEqual({ exitCode: 3, outOfMemory: false })
    expect(fake.seen.map((one) => one.path)).toEqual([
      '/containers/create',
      '/containers/abc/wait?condition=next-exit',
      '/containers/abc/start',
    ])
  })

  test('an engine that holds its headers back does not hold the start back', async () => {
    await using fake = await withEngine({ ...START, [wait]: silence })
    const begun = performance.now()
    await (await container(fake.engine)).start()
    expect(performance.now() - begun).toBeLessThan(3000)
  })

  test.for<[string, Answers]>([
    ['the connection is lost', { [wait]: hangUp }],
    [
      'the connection is lost after the headers',
      {
        [wait]: (response) => {
          response.writeHead(200).flushHeaders()
          setTimeout(() => response.socket?.destroy(), 50)
        },
      },
    ],
    ['the container is unknown', { [wait]: { status: 404, json: { message: 'no' } } }],
    ['the engine lost sight of it', { [wait]: { json: { StatusCode: -1 } } }],
  ])('gives undefined when %s', async ([, answers]) => {
    await using fake = await withEngine({ ...START, ...answers })
    const started = await (await container(fake.engine)).start()
    expect(await started.wait()).toBeUndefined()
    expect(await fake.engine.container('abc').wait()).toBeUndefined()
  })
})

describe('lists', () => {
  test('asks for a label in every state, and reads null as empty', async () => {
    await using fake = await withEngine({
      'GET /containers/json': {
        json: [{ Id: 'abc', State: 'created', Labels: null, Created: 12, Names: ['/x'] }],
      },
      'GET /volumes': { json: { Volumes: null, Warnings: null } },
    })
    expect(await fake.engine.list('glovebox=1')).toEqual([
      { id: 'abc', state: 'created', labels: {}, created: 12 },
    ])
    expect(await fake.engine.volumes('glovebox')).toEqual([])
    const [query] = fake.seen.map((one) => decodeURIComponent(one.path))
    expect(query).toBe('/containers/json?all=true&filters={"label":["glovebox=1"]}')
  })
})
