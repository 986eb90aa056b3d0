import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { beforeAll, describe, expect, it } from 'vitest'

import { findEngine } from '../../src/docker/find.ts'
import { INITIALIZE, PROGRAM } from '../support/e2e/editor.ts'
import { imageOf, muslImage } from '../support/e2e/root-image.ts'
import { World } from '../support/e2e/world.ts'

let musl: string
beforeAll(async () => {
  musl = await muslImage(await findEngine(process.env))
})

/** `glovebox build bundled --image …` as this user; what it said on stderr. */
async function build(world: World, image: string): Promise<string> {
  const env = { ...world.env, XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] }
  const args = [PROGRAM, 'build', 'bundled', '--image', image]
  try {
    return (await promisify(execFile)(process.execPath, args, { env })).stderr
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  }
}

async function refusal(world: World, args: string[]): Promise<string | undefined> {
  await using editor = world.editor({ args })
  await editor.ok('initialize', INITIALIZE)
  return (await editor.call('session/new', { cwd: world.project, mcpServers: [] })).error?.message
}

describe('an image of the user', () => {
  it('holds the agent, although it has another C library and nothing but a shell', async () => {
    await using world = await World.open()
    await build(world, musl)
    await using editor = world.editor({ args: ['--image', musl] })
    const session = await editor.open(world.project)
    await editor.prompt(
      session,
      'demo: run ls /lib > made.txt; node --version >> made.txt; id -un >> made.txt',
    )
    expect(await world.read('made.txt')).toMatch(/^ld-musl-[\w-]+\.so\.1\nv\d+\.\d+\.\d+\nagent\n$/)
  })

  it('[G-PIN] runs only when it was built here, and says with which command', async () => {
    await using world = await World.open()
    const other = `sha256:${'0'.repeat(64)}`
    expect(await refusal(world, ['--image', other])).toBe(
      `The agent bundled is not built on the image ${other}. Run \`glovebox build bundled --image ${other}\`.`,
    )
    expect(await refusal(world, ['--image', 'debian:12'])).toContain('names no digest')
    expect(await build(world, 'debian:12')).toContain('names no digest')
  })

  it('is the one of the project’s devcontainer.json when that is asked for, until an agent changes it', async () => {
    await using world = await World.open({ config: { image: 'devcontainer' } })
    await build(world, musl)
    await mkdir(join(world.project, '.devcontainer'))
    const file = join(world.project, '.devcontainer', 'devcontainer.json')
    await writeFile(file, `{ // the image\n "image": ${JSON.stringify(musl)}, }`)
    expect(await refusal(world, [])).toBeUndefined()
    await writeFile(file, JSON.stringify({ image: `evil.test/x@sha256:${'1'.repeat(64)}` }))
    expect(await refusal(world, [])).toContain('is not built on the image evil.test/x@sha256:1')
    await writeFile(file, JSON.stringify({ build: { dockerfile: 'Dockerfile' } }))
    expect(await refusal(world, [])).toContain('names no "image"')
  })

  it('is one that the policy lists, if it lists any', async () => {
    await using world = await World.open({ config: { images: [`sha256:${'2'.repeat(64)}`] } })
    await build(world, musl)
    expect(await refusal(world, ['--image', musl])).toBe(
      `The policy does not allow the image ${musl}.`,
    )
  })

  it('without a shell is refused when it is built', async () => {
    await using world = await World.open()
    const folder = await mkdtemp(join(tmpdir(), 'gb-bare-'))
    await writeFile(join(folder, 'file'), 'no shell\n')
    const bare = await imageOf(world.engine, folder, 'glovebox-test/bare:1')
    await rm(folder, { recursive: true })
    expect(await build(world, bare)).toContain(`The image ${bare} has no /bin/sh`)
  })
})
