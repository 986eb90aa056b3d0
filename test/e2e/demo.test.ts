import { copyFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

import { describe, expect, it, vi } from 'vitest'

import { findEngine } from '../../src/docker/find.ts'
import { statePaths } from '../../src/state.ts'
import { startCommand } from '../support/client/command-line.ts'
import { scratchFolder } from '../support/scratch.ts'

/** A user without a key and with the pinned images. */
async function userIn(folder: string) {
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...host } = process.env
  const env = { ...host, XDG_STATE_HOME: `${folder}/state`, XDG_CACHE_HOME: `${folder}/cache` }
  const { lock } = statePaths(env)
  await mkdir(dirname(lock), { recursive: true })
  await copyFile(statePaths(process.env).lock, lock)
  return env
}

async function containersOf(pid: number | undefined): Promise<string[]> {
  const engine = await findEngine(process.env)
  const found = await engine.list('glovebox')
  return found
    .map(({ labels }) => labels['glovebox.launcher'] ?? '')
    .filter((launcher) => launcher.split('/')[2] === String(pid))
}

describe('glovebox demo', () => {
  it('shows a test being made to pass from inside the box, and every check of it holds', async () => {
    await using place = await scratchFolder()
    await using demo = startCommand(['demo'], { env: await userIn(place.path) })
    expect({ code: await demo.exit(), stderr: demo.output.stderr }).toEqual({ code: 0, stderr: '' })
    const { stdout } = demo.output
    expect(stdout).toMatch(/\? The agent asks: \[edit] Edit src\/\w+\.js\n.*\n(?:.*\n)*? {2}- /)
    expect(stdout).toMatch(/✔ \[execute] \$ node --test: completed/)
    expect(stdout).toMatch(/deny {5}http GET example\.com:80\/ +host_not_allowed +1×/)
    expect(stdout).not.toContain('✖ network')
    const [, held, all] = /(\d+) of (\d+) checks hold/.exec(stdout) ?? []
    expect(held).toBe(all)
    expect(Number(all)).toBeGreaterThan(25)
    expect(await containersOf(demo.child.pid)).toEqual([])
  })

  it('leaves nothing running when it is interrupted or killed', async () => {
    await using place = await scratchFolder()
    const env = await userIn(place.path)
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      await using demo = startCommand(['demo'], { env })
      await vi.waitFor(() => expect(demo.output.stdout).toContain('▸ [execute]'), 30_000)
      demo.child.kill(signal)
      expect(await demo.exit()).toBe(signal === 'SIGINT' ? 130 : null)
      await vi.waitFor(async () => expect(await containersOf(demo.child.pid)).toEqual([]), 5_000)
    }
  })

  it('says in one sentence that its image is missing', async () => {
    await using place = await scratchFolder()
    const env = { ...(await userIn(place.path)), XDG_STATE_HOME: `${place.path}/empty` }
    await using demo = startCommand(['demo'], { env })
    expect(await demo.exit()).toBe(69)
    expect(demo.output.stderr).toMatch(
      /^glovebox: No image is locked for demo-model\. Run `glovebox build demo`\.\n$/,
    )
  })
})
