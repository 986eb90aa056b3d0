import { describe, expect, it } from 'vitest'

import { lockEntry, lockImages, readLock } from '../../src/images/lock.ts'
import { statePaths } from '../../src/state.ts'
import { INITIALIZE } from '../support/e2e/editor.ts'
import { EngineGate } from '../support/e2e/engine-gate.ts'
import { World } from '../support/e2e/world.ts'

async function gated(world: World): Promise<EngineGate> {
  const gate = await EngineGate.open(world.engine.info.uri)
  const path = statePaths(world.env).lock
  const lock = await readLock(path)
  for (const role of ['agent-bundled', 'egress-proxy']) {
    const entry = lockEntry(lock, world.engine.info.uri, role)
    if (entry !== undefined) await lockImages(path, gate.uri, { [role]: entry })
  }
  return gate
}

describe('an engine that goes away', () => {
  it('in the middle of a prompt fails the prompt with a sentence, and the launcher still ends with 0', async () => {
    await using world = await World.open()
    const gate = await gated(world)
    const editor = world.editor({ env: { ...world.env, DOCKER_HOST: gate.uri } })
    const session = await editor.open(world.project)
    const prompt = editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'demo: slow 2000' }],
    })
    await editor.until(() => editor.text.includes('word-3'), 'the answer streams')
    await gate[Symbol.asyncDispose]()
    const { error } = await prompt
    expect(error?.message).toMatch(/connection|ended/)
    expect(error?.message).toContain('the session goes on in a new container')
    const again = await editor.call('session/new', { cwd: world.project, mcpServers: [] })
    expect(again.error?.message).toMatch(/engine|socket/i)
    editor.child.stdin?.end()
    expect({ code: await editor.exited, stderr: editor.stderr }).toEqual({ code: 0, stderr: '' })
    await expect
      .poll(() => world.engine.list(`glovebox.project=${world.project}`), { timeout: 5_000 })
      .toEqual([])
  })

  it('and never answers again fails session/new within its bound', async () => {
    await using world = await World.open()
    await using gate = await gated(world)
    await using editor = world.editor({ env: { ...world.env, DOCKER_HOST: gate.uri } })
    gate.watch = (request) => request.includes('/containers/create')
    await editor.ok('initialize', INITIALIZE)
    const { error } = await editor.call(
      'session/new',
      { cwd: world.project, mcpServers: [] },
      50_000,
    )
    expect(error?.message).toMatch(/did not answer|30 s/)
  })
})

describe('a second prompt while one runs', () => {
  it('gets one clear error, and the first is not disturbed', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const first = editor.prompt(session, 'demo: slow 20')
    await editor.until(() => editor.text.includes('word-1'), 'the first prompt streams')
    const { error } = await editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'and this' }],
    })
    expect(error?.message).toMatch(/prompt/i)
    expect(await first).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.text).toContain('word-20')
  })
})

describe('session/close', () => {
  it('frees the container, and the session is gone', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    await editor.ok('session/close', { sessionId: session })
    await expect
      .poll(() => world.engine.list(`glovebox.project=${world.project}`), { timeout: 5_000 })
      .toEqual([])
    const { error } = await editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'x' }],
    })
    expect(error?.message).toContain('Start a new session')
  })
})

describe('session/cancel', () => {
  it('ends a running command and the prompt as cancelled, and the session goes on', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const running = editor.prompt(session, 'demo: run sleep 600')
    await editor.until(
      () => JSON.stringify(editor.updates).includes('in_progress'),
      'the command runs',
    )
    editor.notify('session/cancel', { sessionId: session })
    expect(await running).toMatchObject({ stopReason: 'cancelled' })
    const [agent] = await world.engine.list(`glovebox.project=${world.project}`)
    const { stdout } = await world.engine
      .container(agent?.id ?? '')
      .exec(['sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "'])
    expect(stdout).not.toContain('sleep 600 ')
    expect(await editor.prompt(session, 'demo: write after.txt still here')).toMatchObject({
      stopReason: 'end_turn',
    })
    expect(await world.read('after.txt')).toBe('still here\n')
  })
})
