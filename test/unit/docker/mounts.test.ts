import { expect, test } from 'vitest'

import { inside, projectMounts } from '../../../src/docker/mounts.ts'

test('a project without symlinks in its path is mounted once, at that path', () => {
  expect(projectMounts({ cwd: '/srv/x', realCwd: '/srv/x' })).toStrictEqual([
    {
      Type: 'bind',
      Source: '/srv/x',
      Target: '/srv/x',
      ReadOnly: false,
      BindOptions: { Propagation: 'rprivate' },
    },
  ])
})

test('a project reached through a symlink is mounted at both spellings, from the real one', () => {
  const mounts = projectMounts({ cwd: '/home/me/link', realCwd: '/data/project' })
  expect(mounts.map((one) => [one.Source, one.Target])).toEqual([
    ['/data/project', '/data/project'],
    ['/data/project', '/home/me/link'],
  ])
})

test('a symlink within the project is shown by the one mount', () => {
  const mounts = projectMounts({ cwd: '/data/project/self', realCwd: '/data/project' })
  expect(mounts.map((one) => one.Target)).toEqual(['/data/project'])
})

test('a read-only project is read-only at both spellings', () => {
  const mounts = projectMounts({ cwd: '/home/me/link', realCwd: '/data/project' }, true)
  expect(mounts.map((one) => one.ReadOnly)).toEqual([true, true])
})

test.for(['/srv/a b', '/srv/a:b', '/srv/a,b', '/srv/ünï', '/srv/a"b', '/srv/a\nb'])(
  'the path %j is passed as it is',
  (path) => {
    const [mount] = projectMounts({ cwd: path, realCwd: path })
    expect(mount).toMatchObject({ Source: path, Target: path })
  },
)

test.for([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/ab', false],
  ['/a/b', '/a', false],
  ['/a', '/a/..b', true],
  ['/', '/a', true],
] as const)('whether %s holds %s is %s', ([folder, path, expected]) => {
  expect(inside(folder, path)).toBe(expected)
})
