import { expect, test } from 'vitest'

import { containerUser } from '../../../src/docker/container-user.ts'
import { fakeInfo } from '../../support/engine/fake-engine.ts'

const me = { uid: 1000, gid: 100 }
const root = { uid: 0, gid: 0 }
const owner = { uid: 1005, gid: 1006 }
const docker = fakeInfo({ owner: { uid: 0, gid: 105 } })
const dockerRootless = fakeInfo({ rootless: true, owner: me })
const podman = fakeInfo({ kind: 'podman', owner: root })
const podmanRootless = fakeInfo({ kind: 'podman', rootless: true, owner: me })
const remapped = fakeInfo({ usernsRemap: true })

test.for([
  ['rootful Docker gives the caller', docker, me, owner, me],
  ['rootful Docker gives a root caller the project owner', docker, root, owner, owner],
  ['rootful Podman gives the caller', podman, me, owner, me],
  ['rootful Podman gives a root caller the project owner', podman, root, owner, owner],
  ['rootless Docker gives its own root', dockerRootless, me, owner, root],
  ['rootless Podman keeps its user', podmanRootless, me, owner, { ...me, usernsMode: 'keep-id' }],
  [
    'rootless Podman keeps its own user for a root caller too',
    podmanRootless,
    root,
    owner,
    { ...me, usernsMode: 'keep-id' },
  ],
  ['a remapping Docker is told not to remap', remapped, me, owner, { ...me, usernsMode: 'host' }],
] as const)('%s', ([, engine, caller, projectOwner, expected]) => {
  expect(containerUser(engine, caller, projectOwner)).toStrictEqual(expected)
})
