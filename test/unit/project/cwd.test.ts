import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { checkCwd, refusedBecause } from '../../../src/project/cwd.ts'

const homes = ['/home/me']

describe('refusedBecause', () => {
  test.for([
    ['/', 'root directory'],
    ['/home/me', 'home directory itself'],
    ['/home/other', 'home directory itself'],
    ['/root', 'home directory itself'],
    ['/Users/other', 'home directory itself'],
    ['/var/home/other', 'home directory itself'],
    ['/home', 'holds a whole home'],
    ['/Users', 'system directory'],
    ['/run/glovebox', 'keeps for itself'],
    ['/run/glovebox/x', 'keeps for itself'],
    ['/opt/glovebox', 'keeps for itself'],
    ['/opt/glovebox/x', 'keeps for itself'],
    ...['/etc', '/usr', '/var', '/bin', '/sbin', '/proc', '/sys', '/dev', '/run', '/boot'].map(
      (path) => [path, 'system directory'] as const,
    ),
    ...['/lib', '/lib64', '/libx32', '/opt', '/srv', '/tmp', '/mnt', '/var/lib', '/var/tmp'].map(
      (path) => [path, 'system directory'] as const,
    ),
    ...['/etc/x', '/proc/1/root', '/sys/x', '/dev/shm', '/boot/x', '/usr/local/src/x'].map(
      (path) => [path, 'system directory'] as const,
    ),
    ...['/bin/x', '/sbin/x', '/lib/x', '/lib64/x', '/run/user/1000', '/run/media/me'].map(
      (path) => [path, 'system directory'] as const,
    ),
    ...['/private/etc', '/private/tmp', '/private/var', '/System/x', '/Library/x'].map(
      (path) => [path, 'system directory'] as const,
    ),
  ] as const)('the path %s %s', ([path, why]) => {
    expect(refusedBecause(path, homes)).toContain(why)
  })

  test.for([
    '/home/me/x',
    '/home/other/x',
    '/root/x',
    '/Users/other/x',
    '/tmp/x',
    '/srv/x',
    '/opt/x',
    '/opt/gloveboxes',
    '/mnt/x',
    '/workspaces/x',
    '/var/folders/ab/x',
    '/var/www/x',
    '/private/tmp/x',
    '/private/var/folders/ab/x',
    '/run/media/me/disk',
    '/library/x',
    '/etcetera',
    '/data',
  ])('the path %s may be a project', (path) => {
    expect(refusedBecause(path, homes)).toBeUndefined()
  })
})

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cwd-'))
  await mkdir(join(folder, 'project/inner'), { recursive: true })
  await mkdir(join(folder, 'home'))
  await writeFile(join(folder, 'file'), '')
  await symlink(join(folder, 'project'), join(folder, 'link'))
  await symlink(join(folder, 'home'), join(folder, 'home-link'))
  await symlink('/etc', join(folder, 'etc-link'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('gives both spellings and the owner', async () => {
  expect(await checkCwd(`${folder}/link/`)).toEqual({
    cwd: `${folder}/link`,
    realCwd: `${folder}/project`,
    uid: process.getuid?.(),
    gid: process.getgid?.(),
    identity: expect.stringMatching(/^\d+:\d+$/),
  })
})

test('tells one folder from another in its place', async () => {
  const before = await checkCwd(join(folder, 'project'))
  const same = await checkCwd(join(folder, 'link'))
  const other = await checkCwd(join(folder, 'project/inner'))
  expect(same.identity).toBe(before.identity)
  expect(other.identity).not.toBe(before.identity)
})

test.for([
  '/home/me/.ssh',
  '/home/me/.ssh/keys',
  '/root/.aws',
  '/home/other/.gnupg',
  '/Users/me/Library/Keychains',
  '/home/me/.config/gcloud',
])('the path %s may be no project since it holds keys and log-ins', (path) => {
  expect(refusedBecause(path, ['/home/me'])).toBe('is a folder of keys and log-ins')
})

test.for(['/home/me/.dotfiles', '/home/me/.config/nvim', '/home/me/work/.ssh'])(
  'the path %s may be a project though it looks hidden',
  (path) => {
    expect(refusedBecause(path, ['/home/me'])).toBeUndefined()
  },
)

test('resolves dots before it judges', async () => {
  expect((await checkCwd(`${folder}/project/./inner/..`)).cwd).toBe(`${folder}/project`)
  await expect(checkCwd(`${folder}/../../etc`)).rejects.toThrow('"')
})

test.for([
  ['project', 'not an absolute path'],
  ['', 'not an absolute path'],
  ['~/project', 'not an absolute path'],
  ['/does/not/exist', 'does not exist'],
  ['/etc\0/x', 'zero byte'],
] as const)('refuses %j because it %s', async ([cwd, why]) => {
  await expect(checkCwd(cwd)).rejects.toMatchObject({
    code: 'cwd_invalid',
    rpcCode: -32_602,
    message: expect.stringContaining(`The working directory ${JSON.stringify(cwd)}`),
  })
  await expect(checkCwd(cwd)).rejects.toThrow(why)
})

test.for([
  ['file', 'not a folder'],
  ['file/x', 'not a folder'],
  ['etc-link', 'system directory'],
  ['home', 'home directory itself'],
  ['home-link', 'home directory itself'],
  ['.', 'holds a whole home'],
] as const)('refuses the path %s below a folder since it is %s', async ([path, why]) => {
  const facts = { home: join(folder, 'home') }
  await expect(checkCwd(join(folder, path), facts)).rejects.toThrow(why)
})

test('refuses a project that holds what no agent may reach', async () => {
  const keptOut = [join(folder, 'link/inner')]
  await expect(checkCwd(join(folder, 'project'), { keptOut })).rejects.toThrow(
    `holds ${folder}/project/inner`,
  )
  expect(await checkCwd(join(folder, 'home'), { keptOut, home: '/home/me' })).toBeDefined()
})
