import { describe, expect, test } from 'vitest'

import {
  agentContainer,
  type AgentInput,
  modelContainer,
  proxyContainer,
} from '../../../src/docker/hardening.ts'
import { bind } from '../../../src/docker/mounts.ts'
import { fakeInfo } from '../../support/engine/fake-engine.ts'

const labels = { glovebox: '1', 'glovebox.role': 'agent' }
const image = `sha256:${'a'.repeat(64)}`
const hard = { nofile: 1_048_576, nproc: 63_000 }

const agent: AgentInput = {
  engine: fakeInfo(),
  image,
  labels,
  hard,
  user: { uid: 1000, gid: 1001 },
  env: { HOME: '/home/agent', LANG: 'C.UTF-8' },
  command: ['node', '/opt/glovebox/agent.mjs'],
  cwd: '/srv/my project',
  mounts: [bind('/srv/my project', '/srv/my project', false)],
  proxy: 'proxy-id',
}

const dockerAgent = {
  Image: image,
  User: '1000:1001',
  Labels: labels,
  Hostname: 'glovebox',
  OpenStdin: true,
  StdinOnce: true,
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  Tty: false,
  Cmd: ['node', '/opt/glovebox/agent.mjs'],
  Env: ['HOME=/home/agent', 'LANG=C.UTF-8'],
  WorkingDir: '/srv/my project',
  HostConfig: {
    NetworkMode: 'none',
    Dns: ['127.0.0.1'],
    Mounts: [
      {
        Type: 'bind',
        Source: '/srv/my project',
        Target: '/srv/my project',
        ReadOnly: false,
        BindOptions: { Propagation: 'rprivate' },
      },
    ],
    VolumesFrom: ['proxy-id:ro'],
    ReadonlyRootfs: true,
    Tmpfs: {
      '/tmp': 'rw,exec,nosuid,nodev,size=1073741824,mode=1777',
      '/home/agent': 'rw,exec,nosuid,nodev,size=1073741824,mode=1777',
    },
    CapDrop: ['ALL'],
    CapAdd: [],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    IpcMode: 'private',
    PidsLimit: 1024,
    Memory: 4_294_967_296,
    MemorySwap: 4_294_967_296,
    NanoCpus: 4_000_000_000,
    Ulimits: [
      { Name: 'nofile', Soft: 65_536, Hard: 65_536 },
      { Name: 'nproc', Soft: 32_768, Hard: 32_768 },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    LogConfig: { Type: 'none', Config: {} },
    AutoRemove: true,
    RestartPolicy: { Name: 'no' },
    Init: false,
  },
}

const service = {
  Image: image,
  User: '65532:65532',
  Labels: labels,
  OpenStdin: true,
  StdinOnce: true,
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  Tty: false,
  Env: [],
}

const serviceHost = {
  ReadonlyRootfs: true,
  Tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,size=16777216,mode=1777' },
  CapDrop: ['ALL'],
  CapAdd: [],
  SecurityOpt: ['no-new-privileges'],
  Privileged: false,
  IpcMode: 'private',
  PidsLimit: 128,
  Memory: 268_435_456,
  MemorySwap: 268_435_456,
  NanoCpus: 1_000_000_000,
  Ulimits: [
    { Name: 'nofile', Soft: 4096, Hard: 4096 },
    { Name: 'nproc', Soft: 32_768, Hard: 32_768 },
    { Name: 'core', Soft: 0, Hard: 0 },
  ],
  LogConfig: { Type: 'none', Config: {} },
  AutoRemove: true,
  RestartPolicy: { Name: 'no' },
  Init: false,
}

describe('agentContainer', () => {
  test('asks Docker for exactly this and nothing else', () => {
    expect(agentContainer(agent)).toStrictEqual(dockerAgent)
  })

  test('asks rootless Podman for the same, with its own user mapping, tmpfs and no name server', () => {
    const podman = agentContainer({
      ...agent,
      engine: fakeInfo({ kind: 'podman', rootless: true }),
      user: { uid: 1000, gid: 1001, usernsMode: 'keep-id' },
    })
    const closed = 'rw,noexec,nosuid,nodev,size=1048576,mode=0755'
    const { Dns: _unasked, ...host } = dockerAgent.HostConfig
    expect(podman).toStrictEqual({
      ...dockerAgent,
      HostConfig: {
        ...host,
        UsernsMode: 'keep-id',
        Tmpfs: { ...host.Tmpfs, '/run': closed, '/var/tmp': closed },
      },
    })
  })

  test.for([
    ['cpus never go above what the engine has', { engine: fakeInfo({ cpus: 2 }) }, 'NanoCpus', 2e9],
    ['cpus may be a fraction', { limits: { cpus: 0.5 } }, 'NanoCpus', 5e8],
    ['memory is given without swap on top', { limits: { memory: 1e9 } }, 'MemorySwap', 1e9],
    ['pids follow the policy', { limits: { pids: 64 } }, 'PidsLimit', 64],
    ['a runtime is passed on', { runtime: 'runsc' }, 'Runtime', 'runsc'],
  ] as const)('%s', ([, change, field, value]) => {
    expect(agentContainer({ ...agent, ...change }).HostConfig[field]).toBe(value)
  })

  test('open files never go above the hard limit, and an unknown nproc is not asked for', () => {
    const { HostConfig: host } = agentContainer({ ...agent, hard: { nofile: 20_000 } })
    expect(host.Ulimits).toStrictEqual([
      { Name: 'nofile', Soft: 20_000, Hard: 20_000 },
      { Name: 'core', Soft: 0, Hard: 0 },
    ])
  })
})

describe('proxyContainer', () => {
  test('asks for exactly this: a network, a volume of its own and nothing of the host', () => {
    expect(proxyContainer({ engine: fakeInfo(), image, labels, hard })).toStrictEqual({
      ...service,
      Hostname: 'glovebox-proxy',
      HostConfig: {
        ...serviceHost,
        NetworkMode: 'glovebox-egress',
        Mounts: [
          {
            Type: 'volume',
            Target: '/run/glovebox',
            ReadOnly: false,
            VolumeOptions: { Labels: labels },
          },
        ],
      },
    })
  })
})

describe('modelContainer', () => {
  test('asks for exactly this: the named network and no mount at all', () => {
    const input = { engine: fakeInfo(), image, labels, hard, network: 'models', env: { A: 'b' } }
    expect(modelContainer(input)).toStrictEqual({
      ...service,
      Hostname: 'glovebox-model',
      Env: ['A=b'],
      HostConfig: { ...serviceHost, NetworkMode: 'models', Mounts: [] },
    })
  })
})
