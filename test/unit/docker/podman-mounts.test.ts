import { expect, test } from 'vitest'

import type { HostConfig } from '../../../src/docker/engine.ts'
import { agentContainer } from '../../../src/docker/hardening.ts'
import { bind } from '../../../src/docker/mounts.ts'
import { podmanMounts } from '../../../src/docker/podman-mounts.ts'
import { fakeInfo } from '../../support/engine/fake-engine.ts'

const hostWith = (...paths: string[]): HostConfig =>
  agentContainer({
    engine: fakeInfo({ kind: 'podman' }),
    image: 'x',
    labels: {},
    hard: {},
    user: { uid: 1, gid: 1 },
    env: {},
    cwd: '/srv/x',
    mounts: paths.map((path) => bind(path, path, false)),
    proxy: 'p',
  }).HostConfig

test('plain paths, also with a colon or a space, stay mounts', () => {
  const host = hostWith('/srv/a b', '/srv/a:b', "/srv/it's")
  expect(podmanMounts(host)).toBe(host)
})

test('a path with a comma or a quote goes by the older syntax, and nothing else changes', () => {
  const host = hostWith('/srv/a,readonly', '/srv/b', '/srv/c"d')
  const [, plain] = host.Mounts
  expect(podmanMounts(host)).toStrictEqual({
    ...host,
    Mounts: [plain],
    Binds: ['/srv/a,readonly:/srv/a,readonly:rw,rprivate', '/srv/c"d:/srv/c"d:rw,rprivate'],
  })
})

test('a read-only mount stays read-only', () => {
  const host = { ...hostWith(), Mounts: [bind('/srv/a,b', '/srv/a,b', true)] }
  expect(podmanMounts(host).Binds).toEqual(['/srv/a,b:/srv/a,b:ro,rprivate'])
})

test.for(['/srv/a,b:c', '/srv/a":b', '/srv/a\nb'])('the path %j is refused by name', (path) => {
  expect(() => podmanMounts(hostWith(path))).toThrow(`Podman cannot mount ${JSON.stringify(path)}`)
})
