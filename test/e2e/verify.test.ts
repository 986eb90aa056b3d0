import { execFile } from 'node:child_process'
import { hostname } from 'node:os'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { ContainerBody, StartedContainer } from '../../src/docker/engine.ts'
import { agentContainer, proxyContainer } from '../../src/docker/hardening.ts'
import { ownHardLimits } from '../../src/docker/limits.ts'
import { bind } from '../../src/docker/mounts.ts'
import { lockEntry, readLock } from '../../src/images/lock.ts'
import { parseProbe, probeScript } from '../../src/proof/probe.ts'
import { judgeProbe } from '../../src/proof/verify-checks.ts'
import { statePaths } from '../../src/state.ts'
import { PROGRAM } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

let world: World
let proxy: StartedContainer
let body: ContainerBody

beforeAll(async () => {
  world = await World.open()
  const { engine } = world
  const lock = await readLock(statePaths(world.env).lock)
  const image = (role: string) => lockEntry(lock, engine.info.uri, role)?.id ?? ''
  const common = { engine: engine.info, labels: { 'glovebox-test': '1' }, hard: ownHardLimits() }
  const created = await engine.create({
    ...proxyContainer({ ...common, image: image('egress-proxy') }),
    Entrypoint: ['sleep', '120'],
  })
  proxy = await created.start()
  body = {
    ...agentContainer({
      ...common,
      image: image('agent-bundled'),
      user: { uid: world.owner.uid, gid: world.owner.gid },
      env: {},
      cwd: world.project,
      mounts: [bind(world.project, world.project, false)],
      proxy: proxy.id,
    }),
    Entrypoint: ['/opt/glovebox/init-node', '-e', 'setTimeout(() => {}, 60000)'],
  }
})

afterAll(async () => {
  await proxy?.remove()
  await world?.[Symbol.asyncDispose]()
})

const CANARY = 'verify-canary'

/** The checks that fail in a container like ours but for one thing. */
async function failing(changed: object, top: object = {}): Promise<string[]> {
  const asked: ContainerBody = {
    ...body,
    ...top,
    HostConfig: { ...body.HostConfig, AutoRemove: false, ...changed },
  }
  const created = await world.engine.create(asked)
  try {
    const container = await created.start()
    const questions = {
      project: world.project,
      hostPaths: [world.folder + '/state'],
      canary: CANARY,
    }
    const { stdout } = await container.exec(['sh', '-c', probeScript(questions)])
    const checks = judgeProbe(parseProbe(stdout), {
      ...questions,
      uid: world.owner.uid,
      hostName: hostname(),
      limits: { memory: body.HostConfig.Memory, pids: body.HostConfig.PidsLimit },
    })
    return checks.filter(({ ok }) => !ok).map(({ id }) => id)
  } finally {
    await created.remove()
  }
}

/** One option of the hardening switched off, and a check that must notice. */
const SWITCHES: [string, object, string, object?][] = [
  ['the network', { NetworkMode: 'bridge' }, 'net.interfaces'],
  ['the read-only root', { ReadonlyRootfs: false }, 'option.root'],
  ['dropped capabilities', { CapDrop: [], CapAdd: [] }, 'caps.CapBnd'],
  ['no new privileges', { SecurityOpt: [] }, 'nnp.self'],
  ['seccomp', { SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] }, 'seccomp.self'],
  ['privileges', { Privileged: true }, 'device.kmsg'],
  ['the limit of processes', { PidsLimit: 0 }, 'limit.pids'],
  ['the limit of memory', { Memory: 0, MemorySwap: 0 }, 'limit.memory'],
  ['the limit of CPUs', { NanoCpus: 0 }, 'limit.cpu'],
  [
    'limits of files and dumps',
    { Ulimits: [{ Name: 'core', Soft: 1000, Hard: 1000 }] },
    'limit.core',
  ],
  ['the private processes', { PidMode: 'host' }, 'pid.count'],
  ['the private host name', { UTSMode: 'host' }, 'host.name', { Hostname: undefined }],
  ['the small /tmp', { Tmpfs: {} }, 'option.tmp'],
  ['the name server', { Dns: ['192.0.2.53'], NetworkMode: 'none' }, 'net.resolvers'],
  ['the user', {}, 'user.uid', { User: '0:0' }],
  ['the environment', {}, 'key.environment', { Env: [`KEY=${CANARY}`] }],
  [
    'a device',
    {
      Devices: [
        { PathOnHost: '/dev/fuse', PathInContainer: '/dev/fuse', CgroupPermissions: 'rwm' },
      ],
    },
    'device.fuse',
  ],
]

describe('glovebox verify', () => {
  it('finds nothing to complain of in a container as it is asked for', async () => {
    expect(await failing({})).toEqual([])
  })

  it.for(SWITCHES)('notices the loss of %s', async ([, changed, check, top]) => {
    const found = await failing(changed, top)
    expect(found).toContain(check)
  })

  it('notices another folder of the host', async () => {
    const mounts = [
      ...body.HostConfig.Mounts,
      bind(`${world.folder}/state`, `${world.folder}/state`, true),
    ]
    expect(await failing({ Mounts: mounts })).toEqual(expect.arrayContaining(['mounts', 'host.0']))
  })

  it('holds in full for a session, with more than 60 checks, as JSON', async () => {
    const { code, stdout } = await verify(['--json'])
    const { checks } = JSON.parse(stdout)
    expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([])
    expect(checks.length).toBeGreaterThan(60)
    expect(Object.keys(checks[0]).toSorted()).toEqual([
      'expected',
      'found',
      'guarantee',
      'id',
      'ok',
    ])
    expect(code).toBe(0)
  })

  it('judges another command line, and names what it finds there', async () => {
    const { kind, uri } = world.engine.info
    const client = kind === 'docker' ? ['docker', '-H', uri] : ['podman', '--url', uri]
    const plain = [...client, 'run', '-i', '--rm', '--entrypoint', 'sh', body.Image]
    const { code, stdout } = await verify(['--', ...plain])
    expect(code).toBe(1)
    expect(stdout).toMatch(/✖ net\.interfaces/)
    expect((await verify(['--', 'true'])).stderr).toContain(
      'ran no shell that reads its standard input',
    )
  })
})

async function verify(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return await new Promise((resolve) => {
    const env = { ...world.env, XDG_CACHE_HOME: `${world.folder}/cache` }
    execFile(
      process.execPath,
      [PROGRAM, 'verify', ...args],
      { env, cwd: world.project },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      },
    )
  })
}
