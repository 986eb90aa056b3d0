import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, it } from 'vitest'

import { INITIALIZE, type Answer, type Editor } from '../support/e2e/editor.ts'
import { useAgent } from '../support/e2e/other-agent.ts'
import { World } from '../support/e2e/world.ts'

const BROKEN = [
  'not utf-8',
  'deep',
  'deep cancel',
  'other case',
  'two modes',
  'huge update',
  'many keys',
  'many arrays',
  'answers to others',
  'prototype',
]

async function hostileWorld(script = 'attacker.mjs'): Promise<World> {
  const world = await World.open()
  await useAgent(world, script)
  return world
}

const ask = (editor: Editor, sessionId: string, ...texts: string[]): Promise<Answer> =>
  editor.call('session/prompt', {
    sessionId,
    prompt: texts.map((text) => ({ type: 'text', text })),
  })

async function peakMemory(pid = 0): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder)
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

describe('an agent that breaks the protocol', () => {
  it('[G-WIRE] [G-GUARD] neither wedges its own session nor reaches the editor', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor({ onQuestion: () => undefined })
    const session = await editor.open(world.project)
    for (const attack of BROKEN) {
      expect({ attack, ...(await ask(editor, session, attack)) }).toMatchObject({
        attack,
        result: { stopReason: 'end_turn' },
      })
    }
    expect(editor.questions).toEqual([])
    expect(editor.noise).toEqual([])
    expect(JSON.stringify(editor.updates)).not.toContain('victim')
    await ask(editor, session, 'hello')
    expect(editor.text).toBe('hello')
    expect(await peakMemory(editor.child.pid)).toBeLessThan(400)
  })

  it('[G-WIRE] is an error and no silence where its answer cannot be taken', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    for (const attack of ['huge answer', 'huge answer id last', 'bad answer']) {
      expect((await ask(editor, session, attack)).error?.message).toMatch(
        /^Glovebox did not take the agent's answer: .*\.$/,
      )
    }
    expect((await ask(editor, session, 'hello')).result).toEqual({ stopReason: 'end_turn' })
  })

  it('[G-AUDIT] ends its session when it floods the audit log, and not the disk', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    expect((await ask(editor, session, 'many tools')).error?.message).toContain(
      'This session has written 64 MiB into the audit log',
    )
    expect(await bytesIn(join(world.folder, 'state/glovebox/audit'))).toBeLessThan(80e6)
    await expect
      .poll(() => world.engine.list(`glovebox.project=${world.project}`), { timeout: 8_000 })
      .toEqual([])
    const next = await editor.ok('session/new', { cwd: world.project, mcpServers: [] })
    await editor.prompt(String(next['sessionId']), 'hello')
  })

  it('does not fill the log with what it prints on stderr', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor()
    await ask(editor, await editor.open(world.project), 'many complaints')
    expect(await bytesIn(join(world.folder, 'state/glovebox/log'))).toBeLessThan(1e6)
  })

  it('[G-WIRE] keeps the launcher small with 300,000 frames that the editor does not read', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    editor.child.stdout?.pause()
    const answer = ask(editor, session, 'many frames')
    await sleep(5_000)
    expect(await peakMemory(editor.child.pid)).toBeLessThan(250)
    editor.child.stdout?.resume()
    expect((await answer).result).toEqual({ stopReason: 'end_turn' })
    expect(editor.updates).toHaveLength(300_000)
  })
})

describe('an agent that does not read its input', () => {
  it('[G-CANCEL] holds up neither another session nor its own cancel', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor()
    const deaf = await editor.open(world.project)
    const other = String(
      (await editor.ok('session/new', { cwd: world.project, mcpServers: [] }))['sessionId'],
    )
    const running = ask(editor, deaf, 'deaf input')
    await sleep(300)
    for (let n = 0; n < 8; n += 1) void ask(editor, deaf, 'hello', 'x'.repeat(1_000_000))
    const start = performance.now()
    expect(await editor.prompt(other, 'hello', 5_000)).toEqual({ stopReason: 'end_turn' })
    editor.notify('session/cancel', { sessionId: deaf })
    expect((await running).result).toEqual({ stopReason: 'cancelled' })
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

describe('the end of a connection', () => {
  it('[G-REAP] does not wait for an agent that never answers initialize', async () => {
    await using world = await hostileWorld('mute.mjs')
    await using editor = world.editor()
    await editor.ok('initialize', INITIALIZE)
    void editor.call('session/new', { cwd: world.project, mcpServers: [] })
    await expect
      .poll(() => world.engine.list(`glovebox.project=${world.project}`), { timeout: 10_000 })
      .toHaveLength(1)
    const start = performance.now()
    editor.child.stdin?.end()
    expect(await editor.exited).toBe(0)
    expect(performance.now() - start).toBeLessThan(5_000)
    expect(await world.engine.list(`glovebox.project=${world.project}`)).toEqual([])
  })

  it('[G-REAP] comes when nobody reads stdout any more, though stdin is still open', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    editor.child.stdout?.destroy()
    void ask(editor, session, 'hello')
    expect(await editor.exited).toBe(0)
    expect(editor.stderr).toBe('')
    expect(await world.engine.list(`glovebox.project=${world.project}`)).toEqual([])
  })

  it('[G-REAP] comes on SIGTERM though the editor reads nothing', async () => {
    await using world = await hostileWorld()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    editor.child.stdout?.pause()
    void ask(editor, session, 'many frames')
    await sleep(2_000)
    editor.child.kill('SIGTERM')
    const start = performance.now()
    expect(await editor.exited).toBe(0)
    expect(performance.now() - start).toBeLessThan(8_000)
  })
})
