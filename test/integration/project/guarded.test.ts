import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { describe, expect, it, test } from 'vitest'

import { parseIndex } from '../../../src/project/guarded/git-index.ts'
import { planCovers } from '../../../src/project/guarded/plan.ts'
import { putBack, quarantine } from '../../../src/project/guarded/quarantine.ts'
import {
  baselineOf,
  modulesOf,
  nothing,
  plantsIn,
} from '../../../src/project/guarded/repository.ts'
import { scan } from '../../../src/project/guarded/scan.ts'
import { git, projectIn, USUAL } from '../../support/project.ts'
import { scratchFolder } from '../../support/scratch.ts'

async function write(root: string, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), `text of ${path}\n`)
  }
}

async function planOf(root: string) {
  const plan = await planCovers(
    { cwd: root, realCwd: root },
    USUAL,
    join(root, '..', 'state', 'empty'),
  )
  const how = (name: string) =>
    plan.covered.filter((one) => one.how === name).map(({ path }) => path)
  return { ...plan, masked: how('masked'), readOnly: how('read-only'), held: how('held') }
}

describe('what is covered in a project', () => {
  it('is every untracked secret under each of its names, and not one that git tracks', async () => {
    await using folder = await scratchFolder()
    const root = await projectIn(folder.path)
    await write(root, '.env', 'tracked.env', 'a/b/.env.local', '.env.example', 'README.md')
    await link(join(root, '.env'), join(root, 'second-name'))
    await write(root, 'real-file')
    await symlink('../real-file', join(root, 'a', 'other.env'))
    await symlink('/etc/hostname', join(root, 'outside.env'))
    git(root, 'init', '-q')
    git(root, 'add', '-f', 'tracked.env', 'README.md')
    const plan = await planOf(root)
    expect(plan.masked).toEqual(['.env', 'a/b/.env.local', 'real-file', 'second-name'])
    expect(plan.held).toEqual(['.git'])
    expect(plan.notices).toEqual([
      'these files read as empty for the agent: .env, a/b/.env.local, real-file, second-name.',
      'these look like secrets, and git tracks them, so the agent can read them: tracked.env.',
    ])
  })

  it('is what the host runs by itself, and the hooks, but no link that was put in their place', async () => {
    await using folder = await scratchFolder()
    const root = await projectIn(folder.path)
    await write(
      root,
      '.vscode/tasks.json',
      'packages/a/.idea/x.xml',
      '.envrc',
      'node_modules/x/.vscode/y',
    )
    await symlink('/etc', join(root, '.husky'))
    await write(root, '.git/config', '.git/hooks/pre-commit')
    const plan = await planOf(root)
    expect(plan.readOnly.toSorted()).toEqual([
      '.envrc',
      '.git/hooks',
      '.vscode',
      'packages/a/.idea',
    ])
    expect(plan.known.has('.husky')).toBe(true)
    const sources = plan.mounts.map(({ Source }) => Source)
    expect(sources.every((source) => source?.startsWith(root))).toBe(true)
  })

  it('is mounted at both spellings of a path', async () => {
    await using folder = await scratchFolder()
    const root = await projectIn(folder.path)
    await write(root, '.envrc')
    const { mounts } = await planCovers({ cwd: '/link', realCwd: root }, USUAL, '/none')
    expect(mounts.map(({ Target }) => Target)).toEqual([join(root, '.envrc'), '/link/.envrc'])
  })
})

test('a walk of a large project is given up and says so', async () => {
  await using folder = await scratchFolder()
  for (let n = 0; n < 30; n += 1) await write(folder.path, `d${n}/file`)
  expect((await scan(folder.path, USUAL, 40)).cut).toBe(true)
  expect((await scan(folder.path, USUAL, 100)).cut).toBe(false)
})

test.for([2, 3, 4])('an index of version %s lists what git itself lists', async (version) => {
  await using folder = await scratchFolder()
  await write(folder.path, 'a', 'ab/c', 'ab/d/ü', 'long/'.repeat(40) + 'x', 'later')
  git(folder.path, 'init', '-q')
  git(folder.path, 'add', 'a', 'ab', 'long')
  // Version 3 is what git writes when an entry has an extended flag.
  if (version === 3) git(folder.path, 'add', '-N', 'later')
  git(folder.path, 'update-index', `--index-version=${version === 3 ? 2 : version}`)
  const bytes = await readFile(join(folder.path, '.git', 'index'))
  expect(bytes.readUInt32BE(4)).toBe(version)
  const listed = git(folder.path, 'ls-files', '-z').split('\0').filter(Boolean)
  expect([...(parseIndex(bytes)?.keys() ?? [])].toSorted()).toEqual(listed.toSorted())
  for (let end = 0; end < bytes.length - 20; end += 7) {
    const found = parseIndex(bytes.subarray(0, end))
    expect(found === undefined || found.size <= listed.length).toBe(true)
  }
})

describe('a planted file', () => {
  it('is moved away, and a folder or a link as it is', async () => {
    await using folder = await scratchFolder()
    const root = await projectIn(folder.path)
    await write(root, '.vscode/tasks.json', 'kept')
    await symlink('/etc/hostname', join(root, '.envrc'))
    const away = join(folder.path, 'quarantine')
    const moved = [await quarantine(root, '.vscode', away), await quarantine(root, '.envrc', away)]
    expect(await readdir(root)).toEqual(['kept'])
    expect(await readFile(join(moved[0] ?? '', 'tasks.json'), 'utf8')).toContain('tasks.json')
    expect((await lstat(moved[1] ?? '')).isSymbolicLink()).toBe(true)
    expect(await quarantine(root, 'never-there', away)).toBeUndefined()
  })

  it('is not followed out of the project when its folder became a link', async () => {
    await using folder = await scratchFolder()
    const root = await projectIn(folder.path)
    await write(folder.path, 'home/.envrc')
    await write(root, 'sub/.envrc')
    await rename(join(root, 'sub'), join(root, 'old'))
    await symlink(join(folder.path, 'home'), join(root, 'sub'))
    expect(await quarantine(root, 'sub/.envrc', join(folder.path, 'q'))).toBeUndefined()
    await putBack(root, 'sub/.envrc', { text: 'x', mode: 0o644, uid: 0, gid: 0 })
    expect(await readFile(join(folder.path, 'home/.envrc'), 'utf8')).toBe('text of home/.envrc\n')
  })

  it('in a repository is found by what it would do', async () => {
    await using folder = await scratchFolder()
    const root = folder.path
    git(root, 'init', '-q')
    const before = await baselineOf(root, '.git')
    const found = async () => (await plantsIn(root, before)).map(({ path }) => path)
    git(root, 'config', 'branch.main.remote', 'origin')
    expect(await found()).toEqual([])
    git(root, 'config', 'core.fsmonitor', './x')
    expect(await found()).toEqual(['.git/config'])
    const [plant] = await plantsIn(root, before)
    expect(plant?.original?.text).toContain('[core]')
    await writeFile(join(root, '.git', 'config.worktree'), '[core]\n\tfsmonitor = x\n')
    await writeFile(join(root, '.git', 'commondir'), '../elsewhere\n')
    await mkdir(join(root, '.git', 'hooks'), { recursive: true })
    await writeFile(join(root, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\n')
    await chmod(join(root, '.git', 'hooks', 'pre-commit'), 0o755)
    expect(await found()).toEqual([
      '.git/config',
      '.git/config.worktree',
      '.git/commondir',
      '.git/hooks/pre-commit',
    ])
  })

  it('in a submodule is found, and what git writes there itself is none', async () => {
    await using folder = await scratchFolder()
    const root = await projectIn(folder.path)
    await write(folder.path, 'other/file')
    git(join(folder.path, 'other'), 'init', '-q')
    git(join(folder.path, 'other'), 'add', 'file')
    git(join(folder.path, 'other'), 'commit', '-q', '-m', 'one')
    git(root, 'init', '-q')
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', '../other', 'lib/other')
    const { repositories: modules, links } = await modulesOf(root)
    expect([modules, links]).toEqual([['.git/modules/lib/other'], []])
    for (const place of [...modules, 'lib/other/.git']) {
      expect(await plantsIn(root, nothing(place))).toEqual([])
    }
    git(join(root, 'lib/other'), 'config', 'core.fsmonitor', './x')
    const found = await plantsIn(root, nothing(modules[0] ?? ''))
    expect(found.map(({ path, why }) => [path, why])).toEqual([
      ['.git/modules/lib/other/config', 'it sets core.fsmonitor'],
    ])
    await writeFile(join(root, 'lib/other/.git'), 'gitdir: ../../planted\n')
    expect(await plantsIn(root, nothing('lib/other/.git'))).toHaveLength(1)
  })
})
