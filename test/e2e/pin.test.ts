import { describe, expect, it } from 'vitest'

import { lockEntry, lockImages, readLock } from '../../src/images/lock.ts'
import { statePaths } from '../../src/state.ts'
import { INITIALIZE } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

async function opening(world: World): Promise<{ code: number; message: string } | undefined> {
  await using editor = world.editor()
  await editor.ok('initialize', INITIALIZE)
  return (await editor.call('session/new', { cwd: world.project, mcpServers: [] })).error
}

describe('the image', () => {
  it('[G-PIN] is refused when its name leads to another than the locked one, and nothing is started', async () => {
    await using world = await World.open()
    const lock = await readLock(statePaths(world.env).lock)
    const { uri } = world.engine.info
    const proxy = lockEntry(lock, uri, 'egress-proxy')
    const name = 'glovebox-test/moved:latest'
    await world.engine.tag(proxy?.id ?? '', name)
    const id = lockEntry(lock, uri, 'agent-bundled')?.id ?? ''
    await lockImages(statePaths(world.env).lock, uri, { 'agent-bundled': { name, id } })
    const error = await opening(world)
    expect(error?.message).toMatch(
      /The image glovebox-test\/moved:latest is \w{12} .* and \w{12} is locked/,
    )
    const started = (await world.audit()).filter(({ type }) => type === 'container.start')
    expect(started).toEqual([])
  })

  it('[G-PIN] that is missing gets a sentence with the command to run, at once', async () => {
    await using world = await World.open()
    const { uri } = world.engine.info
    const id = `sha256:${'0'.repeat(64)}`
    await lockImages(statePaths(world.env).lock, uri, {
      'agent-bundled': { name: 'glovebox-test/never-built:1', id },
    })
    const start = performance.now()
    expect((await opening(world))?.message).toBe(
      'The engine has no image glovebox-test/never-built:1. Run `glovebox build`.',
    )
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it('[G-PIN] started for a session is the locked one', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    await editor.open(world.project)
    const lock = await readLock(statePaths(world.env).lock)
    const [agent] = await world.engine.list(`glovebox.project=${world.project}`)
    const { Image } = await world.engine.container(agent?.id ?? '').inspect()
    expect(Image).toBe(lockEntry(lock, world.engine.info.uri, 'agent-bundled')?.id)
  })
})
