import { execFileSync } from 'node:child_process'
import { chown, link, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import type { StartedContainer } from '../../src/docker/engine.ts'
import type { Editor } from '../support/e2e/editor.ts'
import { TEST_ULIMITS } from '../support/e2e/outside.ts'
import { World } from '../support/e2e/world.ts'

/** Each plants something that writes `ran` when the host's git or an editor's poller looks. */
const CANARY = 'echo ran >> "$PWD/../canary"'
const PLANTS: [string, string][] = [
  ['core.fsmonitor', `git config core.fsmonitor '${CANARY}; false'`],
  [
    'core.hooksPath',
    `mkdir h; printf '#!/bin/sh\\n${CANARY}\\n' > h/post-index-change; chmod +x h/*; git config core.hooksPath h; touch README.md`,
  ],
  [
    'a configuration for worktrees',
    `git config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = ${CANARY.replaceAll('"', '\\\\"')}; false\\n' > .git/config.worktree`,
  ],
  [
    'a clean filter',
    `git config filter.x.clean 'tee; ${CANARY}'; echo '* filter=x' > .gitattributes; sleep 1; touch README.md`,
  ],
  [
    'another common folder',
    `cp -r .git other; git -C . --git-dir other config core.fsmonitor '${CANARY}; false'; echo ../other > .git/commondir`,
  ],
]

/** Root may look into a repository of another user. */
function git(world: World, folder: string, ...args: string[]): string {
  const settings = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: folder,
  }
  return execFileSync('git', args, {
    cwd: folder,
    env: { ...world.env, ...settings },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

async function repository(world: World, folder = world.project): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'README.md'), 'a project\n')
  git(world, folder, 'init', '-q', '-b', 'main')
  git(world, folder, 'config', 'user.name', 'a')
  git(world, folder, 'config', 'user.email', 'a@b.test')
  git(world, folder, 'add', 'README.md')
  git(world, folder, 'commit', '-q', '-m', 'one')
  await world.own(folder)
}

/** What an editor does every few seconds; whether a plant ran. */
async function polled(world: World, folder: string): Promise<boolean> {
  git(world, folder, 'status', '--porcelain')
  const ran = (await readdir(world.folder)).includes('canary')
  await rm(join(world.folder, 'canary'), { force: true })
  return ran
}

async function agentOf(world: World): Promise<StartedContainer> {
  const [found] = await world.engine.list(`glovebox.project=${world.project}`)
  return world.engine.container(found?.id ?? '')
}

async function inside(world: World, script: string): Promise<string> {
  const command = ['sh', '-c', `cd '${world.project}'; ${script}`]
  const { stdout, stderr } = await (await agentOf(world)).exec(command)
  return stdout + stderr
}

/** The same script where the folder is simply mounted. */
async function simplyMounted(
  world: World,
  script: string,
  folder = world.project,
): Promise<string> {
  const { Image } = await (await agentOf(world)).inspect()
  return await world.outside.plain({
    Image,
    Entrypoint: ['sh', '-c', `cd '${folder}'; ${script}`],
    User: `${world.owner.uid}:${world.owner.gid}`,
    HostConfig: {
      Binds: [`${folder}:${folder}`],
      NetworkMode: 'none',
      Ulimits: TEST_ULIMITS,
    },
    NetworkingConfig: {},
  })
}

const told = (editor: Editor, text: string): Promise<void> =>
  editor.until(() => editor.text.includes(text), `to be told ${text}`, 15_000)

describe('secrets of a project', () => {
  const READS: [string, string][] = [
    ['its path', 'cat .env'],
    ['a nested path', 'cat sub/.env.local'],
    ['a hard link', 'cat second'],
    ['a link', 'cat third'],
    ['the root of another process', `cat /proc/self/root/$PWD/.env`],
    ['a rename', 'mv .env moved; cat moved'],
    ['git', 'git hash-object -w .env | xargs git cat-file -p'],
  ]

  it('[G-MASK] read as empty by every route, each of which works where the project is simply mounted', async () => {
    await using world = await World.open()
    await repository(world)
    await mkdir(join(world.project, 'sub'))
    await world.write('.env', 'S3CRET=1\n')
    await world.write('sub/.env.local', 'S3CRET=2\n')
    await link(join(world.project, '.env'), join(world.project, 'second'))
    await symlink('.env', join(world.project, 'third'))
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const all = READS.map(([, script]) => `(${script})`).join('; ')
    expect(await inside(world, all)).not.toContain('S3CRET')
    expect(await world.read('.env')).toBe('S3CRET=1\n')
    await editor.prompt(session, 'demo: read README.md')
    expect(editor.text).toContain(
      'these files read as empty for the agent: .env, second, sub/.env.local.',
    )
    const copied = READS.map(
      ([what, script]) =>
        `(rm -rf /tmp/c; cp -a . /tmp/c; cd /tmp/c; ${script.replace('$PWD', '/tmp/c')}) | grep -q S3CRET && echo "${what}"`,
    )
    const worked = await simplyMounted(world, copied.join('; '))
    expect(worked.trim().split('\n')).toEqual(READS.map(([what]) => what))
  })

  it('[G-MASK] that the host saves anew end the container within a second, and the user is told', async () => {
    await using world = await World.open()
    await world.write('.env', 'S3CRET=1\n')
    await using editor = world.editor()
    await editor.open(world.project)
    const saved = performance.now()
    await world.write('.env.new', 'S3CRET=2\n')
    await rename(join(world.project, '.env.new'), join(world.project, '.env'))
    await told(editor, '.env was replaced or removed on the host and is no longer masked')
    expect(performance.now() - saved).toBeLessThan(2_000)
    const left = () => world.engine.list(`glovebox.project=${world.project}`)
    await expect.poll(left, { timeout: 5_000 }).toEqual([])
  })
})

describe('what the host runs by itself', () => {
  it('[G-WRITE] cannot be changed or moved away where it was there', async () => {
    await using world = await World.open()
    await repository(world)
    for (const name of ['.vscode', 'packages/a/.idea', '.git/hooks'])
      await mkdir(join(world.project, name), { recursive: true })
    await world.write('.vscode/tasks.json', '{}\n')
    await world.write('.envrc', 'true\n')
    await world.own()
    await using editor = world.editor()
    await editor.open(world.project)
    const tries = [
      'echo x > .vscode/tasks.json',
      'touch .vscode/new',
      'mv .vscode v',
      'rm .envrc',
      'echo x >> .envrc',
      'touch packages/a/.idea/x',
      'touch .git/hooks/pre-commit',
      'mv .git g',
    ]
    const each = (root: string): string =>
      tries.map((one) => `(${root}; ${one} && echo "done: ${one.replaceAll('"', '')}")`).join('; ')
    expect(await inside(world, each('true'))).not.toContain('done')
    const mounted = await simplyMounted(world, each('rm -rf /tmp/c; cp -a . /tmp/c; cd /tmp/c'))
    expect(mounted.match(/^done: /gm)).toHaveLength(tries.length)
  })

  it('[G-WRITE] is found within a second where it is new, moved to quarantine, recorded, and the user told', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    await editor.open(world.project)
    const start = performance.now()
    await inside(
      world,
      'mkdir -p .vscode sub .husky; echo {} > .vscode/tasks.json; echo x > sub/.envrc; echo x > .husky/pre-commit',
    )
    for (const name of ['.vscode', '.husky', 'sub/.envrc'])
      await told(editor, `${name} was written`)
    expect(performance.now() - start).toBeLessThan(3_000)
    expect((await readdir(world.project)).toSorted()).toEqual(['README.md', 'sub'])
    expect(await readdir(join(world.project, 'sub'))).toEqual([])
    const plants = (await world.audit()).filter(({ type }) => type === 'plant')
    expect(new Set(plants.map((one) => one['path']))).toEqual(
      new Set(['.husky', '.vscode', 'sub/.envrc']),
    )
  })

  it('[G-WRITE] is not run by the next git status, and each plant runs where the project is simply mounted', async () => {
    await using world = await World.open()
    await repository(world)
    await using editor = world.editor()
    await editor.open(world.project)
    for (const [what, script] of PLANTS) {
      const before = editor.text.length
      await inside(world, script)
      const said = (): boolean => editor.text.slice(before).includes('was written')
      await editor.until(said, `to be told of ${what}`, 10_000)
      expect([what, await polled(world, world.project)]).toEqual([what, false])
    }
    for (const [index, [what, script]] of PLANTS.entries()) {
      const folder = join(world.folder, `control-${index}`)
      await repository(world, folder)
      await simplyMounted(world, script, folder)
      expect([what, await polled(world, folder)]).toEqual([what, true])
    }
  })

  it('does not keep git from working, and the host sees the work', async () => {
    await using world = await World.open()
    await repository(world)
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const work =
      'git switch -q -c work && echo x > new.txt && git add new.txt && git commit -q -m two && git remote add origin https://x.test/a && git branch -u main && git stash list && git gc -q && git status --porcelain && echo fine'
    await editor.prompt(session, `demo: run ${work} > /tmp/out 2>&1; cat /tmp/out > said.txt`)
    expect(await world.read('said.txt')).toContain('fine\n')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const log = git(world, world.project, 'log', '--format=%s', 'work')
    expect(log).toBe('two\none\n')
    expect(await world.read('.git/config')).toContain('https://x.test/a')
    expect(editor.text).not.toContain('was written')
  })
})

describe('a read-only project', () => {
  it('can be read and not changed', async () => {
    await using world = await World.open({ config: { project: 'read-only' } })
    await using editor = world.editor()
    await editor.open(world.project)
    expect(await inside(world, 'cat README.md; touch x')).toMatch(
      /a project\n.*Read-only file system/s,
    )
    expect(await readdir(world.project)).toEqual(['README.md'])
    await chown(world.project, world.owner.uid, world.owner.gid)
    await writeFile(join(world.project, 'y'), '')
  })
})
