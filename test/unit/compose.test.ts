import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

import type { ContainerBody, EngineInfo } from '../../src/docker/engine.ts'
import { agentContainer, proxyContainer } from '../../src/docker/hardening.ts'
import { packageRoot, packageVersion } from '../../src/package-root.ts'
import { agentEnvironment } from '../../src/session/environment.ts'

const Service = z.looseObject({ environment: z.record(z.string(), z.string()).optional() })
const Compose = z.object({ services: z.object({ agent: Service, 'egress-proxy': Service }) })

const text = await readFile(join(packageRoot(), 'compose.yaml'), 'utf8')
const { services } = Compose.parse(parse(text))

const engine: EngineInfo = {
  kind: 'docker',
  rootless: false,
  version: '20.10.24',
  apiVersion: '1.41',
  uri: 'unix:///test.sock',
  arch: 'amd64',
  runtimes: ['runc'],
  warnings: [],
}
const common = { engine, image: 'sha256:0', labels: {}, hard: {} }
const launcher = {
  agent: agentContainer({
    ...common,
    user: { uid: 1000, gid: 1000 },
    env: {},
    cwd: '/project',
    mounts: [],
    proxy: 'proxy',
  }),
  'egress-proxy': proxyContainer(common),
}

/** What the launcher asks an engine for, in the words of a compose file. */
const hardeningOf = ({ Hostname, HostConfig: host, OpenStdin }: ContainerBody) => ({
  hostname: Hostname,
  read_only: host.ReadonlyRootfs,
  cap_drop: host.CapDrop,
  security_opt: host.SecurityOpt,
  ipc: host.IpcMode,
  init: host.Init,
  pids_limit: host.PidsLimit,
  tmpfs: Object.entries(host.Tmpfs).map(([path, how]) => `${path}:${how}`),
  restart: host.RestartPolicy.Name,
  stdin_open: OpenStdin,
})

test('Both services are hardened as the launcher hardens its containers.', () => {
  const { stdin_open: _, ...proxy } = hardeningOf(launcher['egress-proxy'])
  expect(services.agent).toMatchObject(hardeningOf(launcher.agent))
  expect(services['egress-proxy']).toMatchObject(proxy)
})

test('Both services have a bound on open files and write no core dumps.', () => {
  // Compose cannot ask for the host's own hard limit, as the launcher does: hence a low default.
  expect(services['egress-proxy']['ulimits']).toEqual({ nofile: 4096, core: 0 })
  expect(services.agent['ulimits']).toEqual({ nofile: '${GLOVEBOX_NOFILE:-4096}', core: 0 })
})

test.for(['agent', 'egress-proxy'] as const)(
  'Memory of %s is the launcher’s, without swap.',
  (name) => {
    const [, number, unit] = /^(\d+)([mg])$/.exec(String(services[name]['mem_limit'])) ?? []
    const bytes = Number(number) * (unit === 'g' ? 1024 ** 3 : 1024 ** 2)
    expect(bytes).toBe(launcher[name].HostConfig.Memory)
    expect(services[name]['memswap_limit']).toBe(services[name]['mem_limit'])
    expect(services[name]['cpus']).toBeDefined()
  },
)

test('The agent has no network, no log, and only the project and the border’s folder.', () => {
  const { agent } = services
  expect(agent['network_mode']).toBe('none')
  expect(agent['networks']).toBeUndefined()
  expect(agent['logging']).toEqual({ driver: 'none' })
  expect(agent['volumes']).toEqual([
    'border:/run/glovebox:ro',
    expect.objectContaining({ type: 'bind', target: '${PROJECT}' }),
  ])
})

test('Nothing of the border’s mounts but its folder reaches the agent.', () => {
  // volumes_from would: compose mounts secrets as files, and it passes every mount on.
  expect(services.agent['volumes_from']).toBeUndefined()
  expect(services.agent['secrets']).toBeUndefined()
})

test('Configuration and keys come as mounted files, and the border has no environment.', () => {
  const proxy = services['egress-proxy']
  expect(proxy['command']).toEqual(['--config', '/run/secrets/egress'])
  expect(proxy['secrets']).toEqual(['egress', 'model_key'])
  expect(proxy.environment).toBeUndefined()
  expect(proxy['user']).toBe(launcher['egress-proxy'].User)
})

test('The agent’s environment is the launcher’s and the bundled profile’s, and holds no key.', () => {
  const { GLOVEBOX_API_KEY, GLOVEBOX_PROVIDER, GLOVEBOX_MODEL, GLOVEBOX_BASE_URL, ...rest } =
    services.agent.environment ?? {}
  expect(rest).toEqual(agentEnvironment({}, {}))
  expect(GLOVEBOX_API_KEY).toBe('placeholder')
  expect([GLOVEBOX_PROVIDER, GLOVEBOX_MODEL, GLOVEBOX_BASE_URL]).not.toContain(undefined)
})

test('The images are those of this version.', () => {
  expect(text.match(/GLOVEBOX_VERSION:-[^}]+/g)).toEqual(
    Array(2).fill(`GLOVEBOX_VERSION:-${packageVersion()}`),
  )
})
