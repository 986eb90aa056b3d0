import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { World } from '../support/e2e/world.ts'

/** Git on the host, which may look into a repository of another user. */
function git(world: World, ...args: string[]): string {
  return execFileSync('git', ['-c', `safe.directory=${world.project}`, ...args], {
    cwd: world.project,
    env: {
      ...world.env,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: world.project,
    },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

async function inside(world: World, script: string): Promise<string> {
  const [found] = await world.engine.list(`glovebox.project=${world.project}`)
  const command = ['sh', '-c', `cd '${world.project}'; ${script}`]
  const { stdout, stderr } = await world.engine.container(found?.id ?? '').exec(command)
  return stdout + stderr
}

/** What an editor does every few seconds; whether something planted ran. */
async function polled(world: World): Promise<boolean> {
  git(world, 'status', '--porcelain')
  return (await readdir(world.folder)).includes('canary')
}

async function repository(world: World): Promise<void> {
  git(world, 'init', '-q')
  await world.own()
}

const FSMONITOR = `'echo ran >> "$PWD/../canary"; false'`

describe('an agent that knows how the project is guarded', () => {
  it('[G-MASK] does not unmask a secret by adding it to the index', async () => {
    await using world = await World.open()
    await repository(world)
    await world.write('.env', 'S3CRET=1\n')
    await using editor = world.editor()
    await editor.open(world.project)
    expect(await inside(world, 'git add -f .env; git ls-files')).toContain('.env')
    await using later = world.editor()
    await later.open(world.project)
    const read = await Promise.all(
      (await world.engine.list(`glovebox.project=${world.project}`)).map(
        async ({ id }) =>
          (await world.engine.container(id).exec(['cat', join(world.project, '.env')])).stdout,
      ),
    )
    expect(read).toEqual(['', ''])
  })

  const TRICKS: [string, string][] = [
    [
      'git’s configuration as a link',
      `cp .git/config c; git config -f c core.fsmonitor ${FSMONITOR}; mv .git/config old; ln -s ../c .git/config`,
    ],
    [
      'a configuration too long to be read',
      `git config core.fsmonitor ${FSMONITOR}; head -c 1100000 /dev/zero | tr '\\0' '#' >> .git/config; echo >> .git/config`,
    ],
    [
      'a decoy that cannot be moved, before the plant',
      `d=$(printf 'z%.0s' $(seq 200)); mkdir -p $d/$d; touch $d/$d/.envrc; sleep 1; git config core.fsmonitor ${FSMONITOR}`,
    ],
  ]

  it.each(TRICKS)('[G-WRITE] does not plant by %s', async (_what, script) => {
    await using world = await World.open()
    await repository(world)
    await using editor = world.editor()
    await editor.open(world.project)
    await inside(world, script)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await polled(world)).toBe(false)
  })
})
