import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

import { findEngine, findEngineInfo } from '../../../src/docker/find.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'

const run = promisify(execFile)

const NOWHERE = '/does/not/exist/docker.sock'
const HOME = '/does/not/exist'

test('uses the engine DOCKER_HOST names, and lists with it', async () => {
  await using fake = await fakeEngine({ 'GET /containers/json': { json: [] } })
  const engine = await findEngine({ HOME, DOCKER_HOST: `unix://${fake.socketPath}` })
  expect(engine.info).toEqual({
    kind: 'docker',
    rootless: false,
    version: '20.10.24',
    apiVersion: '1.41',
    uri: `unix://${fake.socketPath}`,
    arch: 'amd64',
    runtimes: ['runc'],
    warnings: [],
    cpus: 8,
    cgroupVersion: '2',
    seccomp: true,
    usernsRemap: false,
    owner: { uid: process.getuid?.(), gid: process.getgid?.() },
  })
  expect(await engine.list('glovebox')).toEqual([])
})

test('uses the first of the usual sockets that answers', async () => {
  await using second = await fakeEngine({})
  await using third = await fakeEngine({})
  const sockets = [NOWHERE, second.socketPath, third.socketPath]
  const info = await findEngineInfo({ HOME }, { sockets })
  expect(info.uri).toBe(`unix://${second.socketPath}`)
  expect(third.seen).toEqual([])
})

test('looks no further when the engine DOCKER_HOST names does not answer', async () => {
  await using other = await fakeEngine({})
  const env = { HOME, DOCKER_HOST: `unix://${NOWHERE}` }
  await expect(findEngine(env, { sockets: [other.socketPath] })).rejects.toMatchObject({
    code: 'engine_missing',
    exitCode: 69,
    message: expect.stringMatching(/^DOCKER_HOST names .*no such socket/),
    fix: expect.stringContaining('unset DOCKER_HOST'),
  })
  expect(other.seen).toEqual([])
})

test('looks further when the current context does not answer', async () => {
  await using fake = await fakeEngine({})
  const home = await mkdtemp(join(tmpdir(), 'home-'))
  await writeFile(join(home, 'config.json'), '{"currentContext":"gone"}')
  const env = { HOME: home, DOCKER_CONFIG: home }
  const info = await findEngineInfo(env, { sockets: [fake.socketPath] })
  expect(info.uri).toBe(`unix://${fake.socketPath}`)
  await rm(home, { recursive: true })
})

test.for(['tcp://user:hush@10.0.0.1:2376', 'ssh://user@host', 'npipe:////./pipe/docker'])(
  'refuses %s with the reason and the fix, and repeats no password',
  async (address) => {
    const found = findEngine({ HOME, DOCKER_HOST: address })
    await expect(found).rejects.toMatchObject({
      code: 'engine_missing',
      message: expect.stringContaining('only an engine of this machine'),
      fix: expect.stringContaining('unix:///'),
    })
    await expect(found).rejects.not.toThrow('hush')
  },
)

test('lists what it tried when nothing answers, and gives the commands', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plain-'))
  const notEngine = join(folder, 'file')
  await writeFile(notEngine, '')
  await expect(findEngine({ HOME }, { sockets: [NOWHERE, notEngine] })).rejects.toMatchObject({
    code: 'engine_missing',
    message: `No Docker or Podman engine answers. Tried: unix://${NOWHERE} (no such socket), unix://${notEngine} (nothing listens there).`,
    fix: expect.stringMatching(/podman\.socket.*docker\.io.*npm run demo/),
  })
  await rm(folder, { recursive: true })
})

test.for(['DOCKER_HOST', 'NOTHING'])(
  'an engine the user has no right to gets its own sentence (%s)',
  async (variable) => {
    await using fake = await fakeEngine({})
    await chmod(fake.socketPath, 0o000)
    const script = new URL('../../support/engine/find-as-nobody.ts', import.meta.url).pathname
    const { stdout } = await run(process.execPath, [script, variable, fake.socketPath])
    expect(JSON.parse(stdout)).toEqual({
      code: 'engine_denied',
      sentence: expect.stringMatching(
        /no right to use it\. Add yourself to the group docker.*Podman/,
      ),
    })
  },
)
