import { createHash } from 'node:crypto'

import { expect, test } from 'vitest'

import { findings, lookFrom } from '../../../src/proof/look.ts'
import type { Look } from '../../../src/proof/look.ts'

const KEY = 'sk-the-real-one'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const PROCESS = {
  pid: 1,
  name: 'node',
  uid: 1000,
  capabilities: '0000000000000000',
  bounding: '0000000000000000',
  noNewPrivs: '1',
  seccomp: '2',
}

const GOOD: Look = {
  interfaces: ['lo'],
  routes: [],
  processes: [PROCESS, { ...PROCESS, pid: 7 }],
  user: { uid: 1000, gid: 1000 },
  userName: 'agent',
  rootWrite: 'EROFS',
  binWrite: 'EROFS',
  hostName: 'glovebox',
  hostPathsFound: [],
  mounts: ['/', '/home/me/project', '/etc/hosts', '/etc/resolv.conf', '/run/glovebox'],
  lookUp: 'EAI_AGAIN',
  dial: 'ENETUNREACH',
  throughProxy: { status: 403, reason: 'host_not_allowed' },
  environment: { GLOVEBOX_API_KEY: sha256('placeholder') },
}

const PROMISED = { uid: 1000, hostName: 'workstation', project: '/home/me/project', keys: [KEY] }

const failing = (look: Partial<Look>, promised: Partial<typeof PROMISED> = {}) =>
  findings({ ...GOOD, ...look }, { ...PROMISED, ...promised })
    .filter(({ ok }) => !ok)
    .map(({ what }) => what)

test('A look that finds what is promised has no failing row', () => {
  expect(failing({})).toEqual([])
})

test.for<[Partial<Look>, string]>([
  [{ interfaces: ['lo', 'eth0'] }, 'network interfaces'],
  [{ interfaces: [] }, 'network interfaces'],
  [{ routes: ['eth0 00000000 0100A8C0'] }, 'routes'],
  [{ lookUp: 'found' }, 'name lookup of a forbidden host'],
  [{ dial: 'connected' }, 'direct connection to another network'],
  [{ dial: 'ECONNREFUSED' }, 'direct connection to another network'],
  [{ throughProxy: { status: 200, reason: '' } }, 'forbidden host through the proxy'],
  [{ throughProxy: { status: 403, reason: '' } }, 'forbidden host through the proxy'],
  [{ throughProxy: { status: 0, reason: 'ECONNREFUSED' } }, 'forbidden host through the proxy'],
  [
    { processes: [PROCESS, { ...PROCESS, capabilities: '0000000000000020' }] },
    'capabilities of all 2 processes',
  ],
  [{ processes: [{ ...PROCESS, noNewPrivs: '0' }] }, 'no new privileges'],
  [{ processes: [{ ...PROCESS, seccomp: '0' }] }, 'seccomp filter'],
  [{ processes: [PROCESS, { ...PROCESS, uid: 0 }] }, 'user of all processes'],
  [{ user: { uid: 0, gid: 0 } }, 'user of the agent'],
  [{ rootWrite: 'written' }, 'writing to the root file system'],
  [{ binWrite: 'EACCES' }, 'writing to the root file system'],
  [{ mounts: [...GOOD.mounts, '/home/me/.ssh'] }, 'folders of the host'],
  [{ mounts: [] }, 'folders of the host'],
  [
    { hostPathsFound: ['/run/docker.sock'] },
    'key file, ~/.ssh, settings and engine sockets of the host',
  ],
  [{ hostName: 'workstation' }, 'host name'],
  [{ environment: { OPENAI_API_KEY: sha256(KEY) } }, 'model key in the environment'],
])('%j fails the row "%s" and no other', ([look, what]) => {
  expect(failing(look)).toEqual([what])
})

test('what covers something inside the project is no folder of the host, and one beside it is', () => {
  const mounts = [...GOOD.mounts, '/home/me/project/.git', '/home/me/project/.git/hooks']
  expect(failing({ mounts })).toEqual([])
  expect(failing({ mounts: [...mounts, '/home/me/project2'] })).toEqual(['folders of the host'])
})

const container = (exitCode: number, stdout: string, stderr = '') => ({
  exec: () => Promise.resolve({ exitCode, stdout, stderr }),
})
const QUESTIONS = { hostPaths: [], forbiddenHost: 'a.example', farAddress: '192.0.2.1' }

test('The answer from inside is read strictly', async () => {
  expect(await lookFrom(container(0, JSON.stringify(GOOD)), QUESTIONS)).toEqual(GOOD)
  for (const stdout of ['', '{', '{}', JSON.stringify({ ...GOOD, more: 1 })])
    await expect(lookFrom(container(0, stdout), QUESTIONS)).rejects.toThrow('look inside')
})

test('A look that cannot be made is told with its exit code and last words', async () => {
  const failed = lookFrom(container(127, '', 'warning\nnode: not found\n'), QUESTIONS)
  await expect(failed).rejects.toThrow('failed (exit code 127). node: not found')
})
