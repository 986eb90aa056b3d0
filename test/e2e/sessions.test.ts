import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { INITIALIZE } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

type Listed = { sessions: { sessionId: string; cwd: string; title?: string }[] }

describe('a session of an earlier launcher', () => {
  it('is listed, replays its history before the answer to session/load, and goes on', async () => {
    await using world = await World.open()
    const id = await told(world)
    await using editor = world.editor()
    await editor.ok('initialize', INITIALIZE)
    const listed = (await editor.ok('session/list', { cwd: world.project })) as Listed
    expect(listed.sessions).toMatchObject([{ sessionId: id, cwd: world.project }])
    await editor.ok('session/load', { sessionId: id, cwd: world.project, mcpServers: [] })
    const replayed = JSON.stringify(editor.updates)
    expect(replayed).toContain('demo: write first.txt kept')
    expect(replayed).toContain('first.txt')
    await editor.prompt(id, 'demo: write second.txt more')
    expect(await world.read('second.txt')).toBe('more\n')
  })

  it('goes on by session/resume without a replay', async () => {
    await using world = await World.open()
    const id = await told(world)
    await using editor = world.editor()
    await editor.ok('initialize', INITIALIZE)
    await editor.ok('session/resume', { sessionId: id, cwd: world.project, mcpServers: [] })
    expect(JSON.stringify(editor.updates)).not.toContain('first.txt')
    expect(await editor.prompt(id, 'demo: write third.txt x')).toMatchObject({
      stopReason: 'end_turn',
    })
  })

  it('is not there for another project, nor after session/delete', async () => {
    await using world = await World.open()
    const id = await told(world)
    const other = join(world.folder, 'other')
    await mkdir(other)
    await using editor = world.editor({ cwd: world.project })
    await editor.ok('initialize', INITIALIZE)
    expect(await editor.ok('session/list', { cwd: other })).toMatchObject({ sessions: [] })
    const foreign = await editor.call('session/load', { sessionId: id, cwd: other, mcpServers: [] })
    expect(foreign.error?.message).toBeTruthy()
    await editor.ok('session/delete', { sessionId: id })
    // Without a folder: the one the editor was started in.
    expect(await editor.ok('session/list', {})).toMatchObject({ sessions: [] })
    // The containers that answered are not needed any more.
    await expect
      .poll(() => world.engine.list(`glovebox.project=${world.project}`), { timeout: 5_000 })
      .toEqual([])
  })

  it('cannot be opened twice on one connection', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const id = await editor.open(world.project)
    await editor.prompt(id, 'demo: write a.txt 1')
    const { error } = await editor.call('session/load', {
      sessionId: id,
      cwd: world.project,
      mcpServers: [],
    })
    expect(error).toEqual({ code: -32602, message: 'This session is open already.' })
  })
})

describe('two launchers on one folder at the same time', () => {
  it('share its state and nothing else: both sessions work, and each lists both', async () => {
    await using world = await World.open()
    await using one = world.editor()
    await using other = world.editor()
    const ids = await Promise.all([one.open(world.project), other.open(world.project)])
    expect(new Set(ids).size).toBe(2)
    await Promise.all([
      one.prompt(ids[0], 'demo: write one.txt 1'),
      other.prompt(ids[1], 'demo: write other.txt 2'),
    ])
    expect(await world.read('one.txt')).toBe('1\n')
    expect(await world.read('other.txt')).toBe('2\n')
    expect(JSON.stringify(one.updates)).not.toContain('other.txt')
    const listed = await one.ok('session/list', { cwd: world.project })
    for (const id of ids) expect(JSON.stringify(listed)).toContain(id)
  })
})

describe('with "state": "ephemeral"', () => {
  it('nothing of a session is kept, and nothing of the kind is offered', async () => {
    await using world = await World.open({ config: { state: 'ephemeral' } })
    await using editor = world.editor()
    const { agentCapabilities } = await editor.ok('initialize', INITIALIZE)
    expect(agentCapabilities).toMatchObject({
      loadSession: false,
      sessionCapabilities: { close: {} },
    })
    const { sessionId } = await editor.ok('session/new', { cwd: world.project, mcpServers: [] })
    await editor.prompt(String(sessionId), 'demo: write a.txt 1')
    const volumes = await world.engine.volumes('glovebox.role=state')
    expect(volumes.filter(({ labels }) => labels['glovebox.project'] === world.project)).toEqual([])
  })
})

/** A session that wrote a file and whose launcher ended. */
async function told(world: World): Promise<string> {
  await using editor = world.editor()
  const id = await editor.open(world.project)
  await editor.prompt(id, 'demo: write first.txt kept')
  return id
}
