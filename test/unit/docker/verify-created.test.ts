import { describe, expect, test } from 'vitest'

import type { ContainerInspect } from '../../../src/docker/engine.ts'
import { agentContainer, proxyContainer } from '../../../src/docker/hardening.ts'
import { bind } from '../../../src/docker/mounts.ts'
import { verifyCreated } from '../../../src/docker/verify-created.ts'
import { fakeInfo } from '../../support/engine/fake-engine.ts'
import { inspectOf } from '../../support/engine/inspect-of.ts'

const engines = [
  ['rootful Docker', fakeInfo()],
  ['rootless Docker', fakeInfo({ rootless: true })],
  ['rootful Podman', fakeInfo({ kind: 'podman' })],
  ['rootless Podman', fakeInfo({ kind: 'podman', rootless: true })],
] as const

const common = { image: `sha256:${'a'.repeat(64)}`, labels: { glovebox: '1' }, hard: {} }

const agentOn = (engine: (typeof engines)[number][1]) =>
  agentContainer({
    ...common,
    engine,
    user:
      engine.kind === 'podman' && engine.rootless
        ? { uid: 1000, gid: 1000, usernsMode: 'keep-id' }
        : { uid: 1000, gid: 1000 },
    env: { HOME: '/home/agent', HTTP_PROXY: 'http://127.0.0.1:3128' },
    cwd: '/srv/x',
    mounts: [bind('/srv/x', '/srv/x', false), bind('/srv/y', '/srv/x/.git', true)],
    proxy: 'proxy-id',
  })

describe.for(engines)('verifyCreated on %s', ([, engine]) => {
  test('finds nothing when the agent is as asked', () => {
    const asked = agentOn(engine)
    expect(verifyCreated(asked, inspectOf(asked, engine), engine)).toEqual([])
  })

  test('finds nothing when the proxy is as asked', () => {
    const asked = proxyContainer({ ...common, engine })
    expect(verifyCreated(asked, inspectOf(asked, engine), engine)).toEqual([])
  })
})

type Change = (found: ContainerInspect) => void
const host = (changes: Record<string, unknown>): Change => {
  return (found) => void Object.assign(found.HostConfig, changes)
}
const config = (changes: Record<string, unknown>): Change => {
  return (found) => void Object.assign(found.Config, changes)
}
const mount = (at: number, changes: Partial<ContainerInspect['Mounts'][number]>): Change => {
  return (found) => void Object.assign(found.Mounts[at] ?? {}, changes)
}

const differences: [string, Change, string][] = [
  ['another image', (found) => void (found.Image = `sha256:${'b'.repeat(64)}`), 'Image'],
  ['root', config({ User: '0:0' }), 'Config.User'],
  ['another user by default', config({ User: '' }), 'Config.User'],
  ['another folder', config({ WorkingDir: '/' }), 'Config.WorkingDir'],
  ['input that is not closed', config({ StdinOnce: false }), 'Config.StdinOnce'],
  ['no input', config({ OpenStdin: false }), 'Config.OpenStdin'],
  ['a missing label', config({ Labels: {} }), 'Config.Labels.glovebox'],
  ['the bridge', host({ NetworkMode: 'bridge' }), 'HostConfig.NetworkMode'],
  ["the host's network", host({ NetworkMode: 'host' }), 'HostConfig.NetworkMode'],
  [
    'a second network',
    (found) => void (found.NetworkSettings.Networks['x'] = { IPAddress: '', Gateway: '' }),
    'NetworkSettings.Networks',
  ],
  ['privileges', host({ Privileged: true }), 'HostConfig.Privileged'],
  ['a writable root', host({ ReadonlyRootfs: false }), 'HostConfig.ReadonlyRootfs'],
  ['an added capability', host({ CapAdd: ['SYS_ADMIN'] }), 'HostConfig.CapAdd'],
  ['kept capabilities', host({ CapDrop: [] }), 'HostConfig.CapDrop'],
  ['no security option', host({ SecurityOpt: null }), 'HostConfig.SecurityOpt'],
  [
    'seccomp off',
    host({ SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] }),
    'HostConfig.SecurityOpt',
  ],
  ["the host's IPC", host({ IpcMode: 'host' }), 'HostConfig.IpcMode'],
  ['IPC others may join', host({ IpcMode: 'shareable' }), 'HostConfig.IpcMode'],
  ["the host's processes", host({ PidMode: 'host' }), 'HostConfig.PidMode'],
  ["the host's name", host({ UTSMode: 'host' }), 'HostConfig.UTSMode'],
  ["the host's users", host({ UsernsMode: 'host' }), 'HostConfig.UsernsMode'],
  ['a log on disk', host({ LogConfig: { Type: 'json-file' } }), 'HostConfig.LogConfig.Type'],
  ['no self-removal', host({ AutoRemove: false }), 'HostConfig.AutoRemove'],
  ['a device', host({ Devices: [{ PathOnHost: '/dev/kvm' }] }), 'HostConfig.Devices'],
  ['a GPU', host({ DeviceRequests: [{ Driver: 'x' }] }), 'HostConfig.DeviceRequests'],
  ['a published port', host({ PortBindings: { '80/tcp': [] } }), 'HostConfig.PortBindings'],
  ['a bind by the old way', host({ Binds: ['/:/host'] }), 'HostConfig.Binds'],
  ['a group', host({ GroupAdd: ['docker'] }), 'HostConfig.GroupAdd'],
  ['an added host name', host({ ExtraHosts: ['x:1.2.3.4'] }), 'HostConfig.ExtraHosts'],
  ['no volume of the proxy', host({ VolumesFrom: null }), 'HostConfig.VolumesFrom'],
  ['another source', mount(0, { Source: '/srv' }), 'Mounts./srv/x'],
  ['a writable read-only mount', mount(1, { RW: true }), 'Mounts./srv/x/.git'],
  ['a read-only project', mount(0, { RW: false }), 'Mounts./srv/x'],
  ['another kind of mount', mount(0, { Type: 'volume' }), 'Mounts./srv/x'],
  ['a writable way to the proxy', mount(2, { RW: true }), 'Mounts./run/glovebox'],
  ['a missing mount', (found) => void found.Mounts.shift(), 'Mounts./srv/x'],
  [
    'one mount more',
    (found) => void found.Mounts.push({ Type: 'bind', Source: '/', Destination: '/h', RW: false }),
    'Mounts./h',
  ],
  [
    'a second mount over the project',
    (found) =>
      void found.Mounts.push({ Type: 'bind', Source: '/', Destination: '/srv/x', RW: true }),
    'Mounts',
  ],
  ['a tmpfs of any size', host({ Tmpfs: { '/tmp': 'rw' } }), 'HostConfig.Tmpfs./tmp'],
  ['an image volume', mount(2, { Destination: '/data', RW: true }), 'Mounts./data'],
]

const engine = fakeInfo()

test.for(differences)('finds %s', ([, change, field]) => {
  const asked = agentOn(engine)
  const found = inspectOf(asked, engine)
  change(found)
  const result = verifyCreated(asked, found, engine)
  expect(result.map((one) => one.field)).toContain(field)
  expect(result.every((one) => one.kind === 'difference')).toBe(true)
})

test('tells a lost variable by its name and never by its value', () => {
  const asked = { ...agentOn(engine), Env: ['TOKEN=hush'] }
  const found = inspectOf(asked, engine)
  found.Config.Env = ['TOKEN=other-hush']
  const result = verifyCreated(asked, found, engine)
  expect(result.map((one) => one.field)).toEqual(['Config.Env.TOKEN'])
  expect(JSON.stringify(result)).not.toContain('hush')
})

test.for(['LD_PRELOAD=/x', 'NODE_OPTIONS=--require=x', 'https_proxy=http://x', 'FTP_PROXY=x'])(
  'finds that the engine added %s',
  (variable) => {
    const asked = agentOn(engine)
    const found = inspectOf(asked, engine)
    found.Config.Env.push(variable)
    expect(verifyCreated(asked, found, engine)).toHaveLength(1)
  },
)

test.for([
  ['PidsLimit', { PidsLimit: 0 }],
  ['Memory', { Memory: 0 }],
  ['MemorySwap', { MemorySwap: -1 }],
  ['NanoCpus', { NanoCpus: 0 }],
  ['Ulimits.nofile', { Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }] }],
] as const)('tells that %s is a limit the engine does not enforce', ([field, change]) => {
  const asked = agentOn(engine)
  const found = inspectOf(asked, engine)
  Object.assign(found.HostConfig, change)
  expect(verifyCreated(asked, found, engine)).toMatchObject([
    { field: `HostConfig.${field}`, kind: 'limit-not-enforced' },
  ])
})

test('tells that rootless Podman on cgroup v1 enforces no limit at all', () => {
  const rootless = fakeInfo({ kind: 'podman', rootless: true, cgroupVersion: '1' })
  const asked = agentOn(rootless)
  const result = verifyCreated(asked, inspectOf(asked, rootless), rootless)
  expect(result.map((one) => one.kind)).toEqual(Array(6).fill('limit-not-enforced'))
})

test('tells that an engine without seccomp filters nothing', () => {
  const bare = fakeInfo({ seccomp: false })
  const asked = agentOn(bare)
  expect(verifyCreated(asked, inspectOf(asked, bare), bare)).toMatchObject([
    { field: 'seccomp', kind: 'limit-not-enforced' },
  ])
})
