import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  namedCandidate,
  privateEngineSocket,
  usualCandidates,
} from '../../../src/docker/candidates.ts'

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-'))
  await writeContext('desk', 'unix:///run/desk.sock')
  await writeFile(join(home, '.docker/config.json'), JSON.stringify({ currentContext: 'desk' }))
})
afterAll(() => rm(home, { recursive: true, force: true }))

async function writeContext(name: string, host: string): Promise<void> {
  const folder = createHash('sha256').update(name).digest('hex')
  await mkdir(join(home, '.docker/contexts/meta', folder), { recursive: true })
  const meta = { Name: name, Metadata: {}, Endpoints: { docker: { Host: host } } }
  await writeFile(join(home, '.docker/contexts/meta', folder, 'meta.json'), JSON.stringify(meta))
}

describe('namedCandidate', () => {
  test('takes DOCKER_HOST before everything else', async () => {
    const env = { HOME: home, DOCKER_HOST: 'unix:///a', CONTAINER_HOST: 'unix:///b' }
    expect(await namedCandidate(env)).toEqual({
      source: 'DOCKER_HOST',
      address: 'unix:///a',
      explicit: true,
    })
  })

  test('takes CONTAINER_HOST before a context, and an empty variable for none', async () => {
    const env = { HOME: home, DOCKER_HOST: '', CONTAINER_HOST: 'unix:///b' }
    expect(await namedCandidate(env)).toMatchObject({ source: 'CONTAINER_HOST' })
  })

  test('takes the current context, which may be out of date', async () => {
    expect(await namedCandidate({ HOME: home })).toEqual({
      source: 'the Docker context desk',
      address: 'unix:///run/desk.sock',
      explicit: false,
    })
  })

  test('takes DOCKER_CONTEXT as named by the user, also when it does not exist', async () => {
    expect(await namedCandidate({ HOME: home, DOCKER_CONTEXT: 'gone' })).toEqual({
      source: 'the Docker context gone',
      address: '',
      explicit: true,
    })
  })

  test.for([{ DOCKER_CONTEXT: 'default' }, { DOCKER_CONFIG: '/does/not/exist' }])(
    'names nothing with %j',
    async (env) => {
      expect(await namedCandidate({ HOME: home, ...env })).toBeUndefined()
    },
  )
})

const addresses = (env: Record<string, string>): string[] =>
  usualCandidates(env, '/repo/.glovebox-engine/docker.sock').map((one) => one.address)

describe('usualCandidates', () => {
  test('begins with the system, and ends with the engine of this checkout', () => {
    const found = addresses({ HOME: '/home/me', XDG_RUNTIME_DIR: '/run/user/1000' })
    expect(found[0]).toBe('unix:///var/run/docker.sock')
    expect(found.at(-1)).toBe('unix:///repo/.glovebox-engine/docker.sock')
    expect(found).toContain('unix:///run/user/1000/podman/podman.sock')
    expect(found).toContain('unix:///home/me/.colima/default/docker.sock')
    expect(new Set(found).size).toBe(found.length)
  })

  test('has no place below a runtime directory that is not set', () => {
    expect(addresses({ HOME: '/home/me' }).join(' ')).not.toContain('undefined')
    expect(addresses({ HOME: '/home/me' })).not.toContain('unix:///docker.sock')
  })
})

test('the private engine is beside our package.json, from any depth', () => {
  const root = join(import.meta.dirname, '../../..')
  const expected = join(root, '.glovebox-engine/docker.sock')
  expect(privateEngineSocket()).toBe(expected)
  expect(privateEngineSocket(join(root, 'dist'))).toBe(expected)
})
