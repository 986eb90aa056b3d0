import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { meetsFloor, probe } from '../../../src/docker/probe.ts'
import {
  type Answers,
  fakeEngine,
  hangUp,
  INFO,
  silence,
  VERSION,
} from '../../support/engine/fake-engine.ts'

const version = (changes: object): Answers => ({
  'GET /version': { json: { ...VERSION, ...changes } },
})
const system = (changes: object): Answers => ({ 'GET /info': { json: { ...INFO, ...changes } } })

test.for<[string, Answers, object]>([
  [
    'rootful Podman',
    { ...version({ Components: [{ Name: 'Podman Engine' }] }), ...system({ Rootless: false }) },
    { kind: 'podman', rootless: false },
  ],
  [
    'rootless Podman',
    { ...version({ Components: [{ Name: 'Podman Engine' }] }), ...system({ Rootless: true }) },
    { kind: 'podman', rootless: true },
  ],
  [
    'rootless Docker',
    system({ SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] }),
    { kind: 'docker', rootless: true, seccomp: true },
  ],
  [
    'a Docker that remaps users',
    system({ SecurityOptions: ['name=userns'] }),
    { usernsRemap: true },
  ],
  ['an engine without seccomp', system({ SecurityOptions: null }), { seccomp: false }],
  [
    'an engine whose seccomp is off by default',
    system({ SecurityOptions: ['name=seccomp,profile=unconfined'] }),
    { seccomp: false },
  ],
  ['an ARM machine', version({ Arch: 'aarch64' }), { arch: 'arm64' }],
  [
    'warnings',
    system({ Warnings: ['WARNING: No swap limit support'] }),
    {
      warnings: ['WARNING: No swap limit support'],
    },
  ],
])('tells %s', async ([, answers, expected]) => {
  await using fake = await fakeEngine(answers)
  expect(await probe(fake.socketPath, 2000)).toMatchObject({ ok: true, info: expected })
})

test.for<[string, Answers, string]>([
  ['an old engine', version({ ApiVersion: '1.40' }), 'API 1.40 is older than 1.41'],
  ['a machine we have no image for', version({ Arch: 's390x' }), 's390x'],
  ['an error', { 'GET /version': { status: 500, json: {} } }, 'not a Docker or Podman engine'],
  ['another program', { 'GET /version': { json: { hello: 1 } } }, 'not a Docker or Podman engine'],
  ['a closed connection', { 'GET /info': hangUp }, 'not a Docker or Podman engine'],
  [
    'something that is no JSON',
    { 'GET /version': (response) => void response.end('<html>') },
    'not a Docker or Podman engine',
  ],
])('tells %s', async ([, answers, text]) => {
  await using fake = await fakeEngine(answers)
  expect(await probe(fake.socketPath, 2000)).toMatchObject({
    ok: false,
    text: expect.stringContaining(text),
  })
})

test.for<[string, Answers]>([
  ['never answers', { 'GET /info': silence }],
  ['stops in the middle of its answer', { 'GET /info': (response) => void response.write('{') }],
])('gives up in time on an engine that %s', async ([, answers]) => {
  await using fake = await fakeEngine(answers)
  const started = performance.now()
  expect(await probe(fake.socketPath, 200)).toEqual({
    ok: false,
    why: 'unfit',
    text: 'no answer within 0.2 s',
  })
  expect(performance.now() - started).toBeLessThan(1500)
})

test('gives up on a socket that accepts and says nothing of HTTP', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mute-'))
  const server = createServer().listen(join(folder, 's'))
  expect(await probe(join(folder, 's'), 200)).toMatchObject({ ok: false, why: 'unfit' })
  server.close()
  await rm(folder, { recursive: true, force: true })
})

test.for([
  ['1.41', true],
  ['1.54', true],
  ['2.0', true],
  ['1.40', false],
  ['1.9', false],
  ['', false],
  ['x', false],
] as const)('whether API %s will do is %s', ([apiVersion, expected]) => {
  expect(meetsFloor(apiVersion)).toBe(expected)
})
