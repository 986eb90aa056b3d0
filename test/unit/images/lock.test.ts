import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { lockEntry, lockImages, lockPath, readLock } from '../../../src/images/lock.ts'

const id = `sha256:${'a'.repeat(64)}`
const local = { name: 'glovebox/agent-bundled:1', id }
const remote = { name: `registry.example/x@${id}` }
const uri = 'unix:///var/run/docker.sock'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
  path = join(folder, 'glovebox/lock.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('lockImages', () => {
  test('keeps the entries of other roles and engines', async () => {
    await lockImages(path, uri, { 'agent-bundled': local })
    await lockImages(path, 'unix:///other', { 'egress-proxy': local })
    const lock = await lockImages(path, uri, { 'egress-proxy': remote })
    expect(await readLock(path)).toEqual(lock)
    expect(lockEntry(lock, uri, 'agent-bundled')).toEqual(local)
    expect(lockEntry(lock, uri, 'egress-proxy')).toEqual(remote)
    expect(lockEntry(lock, 'unix:///other', 'egress-proxy')).toEqual(local)
    expect(lockEntry(lock, 'unix:///none', 'egress-proxy')).toBeUndefined()
  })

  test('leaves one file that only its owner can read', async () => {
    await lockImages(path, uri, { 'agent-bundled': local })
    expect(await readdir(join(folder, 'glovebox'))).toEqual(['lock.json'])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('does not overwrite a lock it cannot read', async () => {
    await lockImages(path, uri, {})
    await writeFile(path, '{"version": 2}')
    await expect(lockImages(path, uri, { a: local })).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })
})

describe('readLock', () => {
  test('is empty without a file', async () => {
    expect(await readLock(path)).toEqual({ version: 1, engines: {} })
  })

  test.for([
    ['text that is not JSON', '{', 'it is not JSON'],
    ['an unknown key', '{"version":1,"engines":{},"x":1}', 'x'],
    ['another version', '{"version":2,"engines":{}}', 'version'],
    ['an id that is none', wrap({ name: 'a', id: 'sha256:abc' }), 'engines.u.r'],
    ['a name without id or digest', wrap({ name: 'a:latest' }), 'engines.u.r'],
    ['a third key in an entry', wrap({ ...local, x: 1 }), 'engines.u.r'],
  ] as const)('refuses %s, naming the file and the key', async ([, text, key]) => {
    await lockImages(path, uri, {})
    await writeFile(path, text)
    await expect(readLock(path)).rejects.toMatchObject({ code: 'config_invalid' })
    await expect(readLock(path)).rejects.toThrow(path)
    await expect(readLock(path)).rejects.toThrow(key)
  })
})

function wrap(entry: unknown): string {
  return JSON.stringify({ version: 1, engines: { u: { r: entry } } })
}

test.for([
  [{ XDG_STATE_HOME: '/state', HOME: '/home/me' }, '/state/glovebox/lock.json'],
  [{ HOME: '/home/me' }, '/home/me/.local/state/glovebox/lock.json'],
  [{ XDG_STATE_HOME: '', HOME: '/home/me' }, '/home/me/.local/state/glovebox/lock.json'],
] as const)('the environment %j keeps the lock at %s', ([env, expected]) => {
  expect(lockPath(env)).toBe(expected)
})
