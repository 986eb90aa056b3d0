import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it, test } from 'vitest'

import { planCovers } from '../../../src/project/guarded/plan.ts'
import { makeListable, quarantine } from '../../../src/project/guarded/quarantine.ts'
import {
  baselineOf,
  modulesOf,
  nothing,
  plantsIn,
} from '../../../src/project/guarded/repository.ts'
import { scan } from '../../../src/project/guarded/scan.ts'
import { ProjectWatch } from '../../../src/project/guarded/watch.ts'
import { git, projectIn, USUAL } from '../../support/project.ts'
import { scratchFolder } from '../../support/scratch.ts'

async function repositoryIn(folder: string): Promise<string> {
  const root = await projectIn(folder)
  git(root, 'init', '-q')
  return root
}

async function maskedIn(root: string): Promise<string[]> {
  const { covered } = await planCovers({ cwd: root, realCwd: root }, USUAL, `${root}.empty`)
  return covered.filter(({ how }) => how === 'masked').map(({ path }) => path)
}

/** A watch over a project, until a second after `act`; what it told. */
async function watched(root: string, folder: string, act: () => Promise<void>): Promise<string[]> {
  const plan = await planCovers({ cwd: root, realCwd: root }, USUAL, `${root}.empty`)
  const watch = new ProjectWatch({
    project: root,
    plan,
    patterns: USUAL,
    planted: 'quarantine',
    folder,
  })
  await watch.takeNote()
  const told: string[] = []
  const notify = (text: string): void => void told.push(text)
  watch.start({ record: () => undefined, notify, restart: notify })
  await act()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await watch[Symbol.asyncDispose]()
  return told
}

describe('a secret', () => {
  it('stays masked when its name is in the index with another text, and not with its own', async () => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    await writeFile(join(root, '.env'), 'S3CRET\r\n')
    const nothingIn = execFileSync('git', ['hash-object', '-w', '--stdin'], {
      cwd: root,
      input: '',
    })
    git(root, 'update-index', '--add', '--cacheinfo', `100644,${String(nothingIn).trim()},.env`)
    expect(await maskedIn(root)).toEqual(['.env'])
    git(root, 'add', '-f', '.env')
    expect(await maskedIn(root)).toEqual([])
    git(root, '-c', 'core.autocrlf=input', 'add', '-f', '--renormalize', '.env')
    expect(await maskedIn(root)).toEqual([])
    await writeFile(join(root, '.env'), 'ANOTHER\n')
    expect(await maskedIn(root)).toEqual(['.env'])
  })

  it('that gets another name on the host ends the container', async () => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    await writeFile(join(root, '.env'), 'S3CRET\n')
    const told = await watched(root, join(folder.path, 'q'), async () => {
      await link(join(root, '.env'), join(root, 'copy'))
    })
    expect(told.join()).toContain('.env got another name on the host')
  })
})

describe('a plant that is hard to move', () => {
  const PLANTS: [string, (root: string) => Promise<void>][] = [
    [
      'a path longer than a name may be',
      async (root) => {
        const deep = join(root, 'z'.repeat(200), 'é'.repeat(100))
        await mkdir(deep, { recursive: true })
        await writeFile(join(deep, '.envrc'), '')
      },
    ],
    [
      'a pipe in it, and a quarantine on another file system',
      async (root) => {
        await mkdir(join(root, '.vscode'))
        execFileSync('mkfifo', [join(root, '.vscode', 'a')])
      },
    ],
    [
      'a folder that may not be written',
      async (root) => {
        await mkdir(join(root, 'sub'))
        await writeFile(join(root, 'sub', '.envrc'), '')
        await chmod(join(root, 'sub'), 0o555)
      },
    ],
  ]

  it.each(PLANTS)('(%s) is taken away, and the next one too', async (_what, plant) => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    const elsewhere = await mkdtemp('/dev/shm/gb-quarantine-')
    try {
      const told = await watched(root, elsewhere, async () => {
        await plant(root)
        git(root, 'config', 'core.fsmonitor', './x')
      })
      expect(told).toHaveLength(2)
      expect(await readFile(join(root, '.git', 'config'), 'utf8')).not.toContain('fsmonitor')
      expect((await scan(root, USUAL)).found).toEqual([])
    } finally {
      await rm(elsewhere, { recursive: true })
    }
  })

  it('does not take the place of another in the quarantine', async () => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    await mkdir(join(root, 'a'))
    await writeFile(join(root, 'a', '.envrc'), '')
    await writeFile(join(root, 'a_.envrc'), '')
    const away = join(folder.path, 'q')
    await Promise.all(['a/.envrc', 'a_.envrc'].map((path) => quarantine(root, path, away)))
    expect(await readdir(away)).toHaveLength(2)
  })
})

test('a folder is made listable again, and no link that took its place', async () => {
  await using folder = await scratchFolder()
  const root = await repositoryIn(folder.path)
  await mkdir(join(root, 'sub'), { mode: 0o111 })
  await makeListable(root, 'sub')
  expect((await stat(join(root, 'sub'))).mode & 0o777).toBe(0o511)
  await mkdir(join(folder.path, 'home'))
  await chmod(join(folder.path, 'home'), 0o111)
  await symlink(join(folder.path, 'home'), join(root, 'link'))
  await makeListable(root, 'link')
  expect((await stat(join(folder.path, 'home'))).mode & 0o777).toBe(0o111)
})

describe('in a repository', () => {
  const EVIL = '[core]\n\tfsmonitor = ./x\n'

  it('a configuration is a plant as a link, as a pipe, and when it is too long to be read', async () => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    const before = await baselineOf(root, '.git')
    const config = join(root, '.git', 'config')
    await rename(config, join(root, 'old'))
    await writeFile(join(root, 'evil'), EVIL)
    const makes = [
      () => symlink('../evil', config),
      async () => void execFileSync('mkfifo', [config]),
      () => writeFile(config, `${EVIL}#${'x'.repeat(1024 * 1024)}\n`),
    ]
    for (const make of makes) {
      await make()
      const [plant] = await plantsIn(root, before)
      expect(plant?.path).toBe('.git/config')
      expect(plant?.original?.text).toContain('repositoryformatversion')
      await rm(config)
    }
  })

  it('a hook that was there is a plant when its text changes', async () => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    await mkdir(join(root, '.git', 'hooks'), { recursive: true })
    const hook = join(root, '.git', 'hooks', 'pre-commit')
    await writeFile(hook, 'true\n')
    const before = await baselineOf(root, '.git')
    expect(await plantsIn(root, before)).toEqual([])
    await writeFile(hook, './x\n')
    const [plant] = await plantsIn(root, before)
    expect([plant?.path, plant?.original?.text]).toEqual(['.git/hooks/pre-commit', 'true\n'])
  })

  it('a .git file may lead to a folder git made there, and to nothing that was planted', async () => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    git(root, 'commit', '-q', '--allow-empty', '-m', 'one')
    git(root, 'worktree', 'add', '-q', 'tree')
    const all = await modulesOf(root)
    expect(all).toEqual({ repositories: ['.git/worktrees/tree'], links: [] })
    for (const place of [...all.repositories, 'tree/.git']) {
      expect(await plantsIn(root, nothing(place))).toEqual([])
    }
    await mkdir(join(root, 'planted'))
    await mkdir(join(root, '.git', 'modules'))
    await symlink('../../planted', join(root, '.git', 'modules', 'x'))
    expect((await modulesOf(root)).links).toEqual(['.git/modules/x'])
    for (const to of ['../.git/modules/../../planted', '../.git/modules/x', '../planted']) {
      await writeFile(join(root, 'tree', '.git'), `gitdir: ${to}\n`)
      expect([to, await plantsIn(root, nothing('tree/.git'))]).toEqual([
        to,
        [{ path: 'tree/.git', why: 'it leads git to another repository' }],
      ])
    }
    await writeFile(join(root, '.git', 'worktrees', 'tree', 'commondir'), '../../../planted\n')
    expect(await plantsIn(root, nothing('.git/worktrees/tree'))).toHaveLength(1)
  })

  it('that is bare a setting is found as well', async () => {
    await using folder = await scratchFolder()
    const root = await repositoryIn(folder.path)
    const told = await watched(root, join(folder.path, 'q'), async () => {
      git(root, 'init', '-q', '--bare', 'docs')
      git(join(root, 'docs'), 'config', 'core.fsmonitor', './x')
    })
    expect(told.join()).toContain('docs/config was written, and it sets core.fsmonitor')
  })
})
