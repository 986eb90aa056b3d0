import { existsSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { useAgent } from '../support/e2e/other-agent.ts'
import { World } from '../support/e2e/world.ts'

type Report = {
  answers: { id: number; code?: number; result?: unknown }[]
  capabilities: Record<string, unknown>
}

describe('an agent that asks the editor for the host', () => {
  it('[G-GUARD] [G-AUDIT] gets nothing, the editor hears nothing, and each attempt is recorded', async () => {
    await using world = await World.open()
    await useAgent(world, 'hostile.mjs')
    await using editor = world.editor()
    const session = await editor.open(world.project)
    await editor.prompt(session, 'attack')
    expect(editor.questions).toEqual([])
    const { answers, capabilities } = JSON.parse(editor.text) as Report
    expect(answers).toHaveLength(7)
    expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 7 }, () => -32601))
    expect(capabilities).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    })
    expect(existsSync('/tmp/owned')).toBe(false)
    const refused = (await world.audit()).filter(({ type }) => type === 'refusal')
    expect(refused.map((record) => record['method'])).toEqual(
      expect.arrayContaining([
        'fs/read_text_file',
        'fs/write_text_file',
        'terminal/create',
        'elicitation/create',
        'mcp/message',
        'session/update',
        'line',
      ]),
    )
  })

  it('[G-WIRE] puts nothing on stdout that is no frame', async () => {
    await using world = await World.open()
    await useAgent(world, 'hostile.mjs')
    await using editor = world.editor()
    await editor.prompt(await editor.open(world.project), 'attack')
    expect(editor.noise).toEqual([])
    expect(editor.updates.map((params) => params['sessionId'])).toEqual(['sess_1'])
  })

  it('[G-WIRE] keeps two agents with the same session id apart', async () => {
    await using world = await World.open()
    await useAgent(world, 'hostile.mjs')
    await using editor = world.editor()
    const first = await editor.open(world.project)
    const { sessionId: second } = await editor.ok('session/new', {
      cwd: world.project,
      mcpServers: [],
    })
    expect([first, second]).toEqual(['sess_1', 'sess_1-2'])
    await editor.prompt(String(second), 'attack')
    expect(new Set(editor.updates.map((params) => params['sessionId']))).toEqual(
      new Set(['sess_1-2']),
    )
  })
})

describe('an agent that ends or does not stop', () => {
  it('is reported in the answer to the open prompt, and the launcher lives', async () => {
    await using world = await World.open()
    await useAgent(world, 'hostile.mjs')
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const { error } = await editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'die' }],
    })
    expect(error?.message).toContain('exit code 3')
    const again = await editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'hello' }],
    })
    expect(again.error?.message).toContain('Start a new session')
    const { sessionId } = await editor.ok('session/new', { cwd: world.project, mcpServers: [] })
    await editor.prompt(String(sessionId), 'attack')
  })

  it('[G-CANCEL] ends its prompt cancelled within 8.5 s though it ignores the cancel, and its container is gone', async () => {
    await using world = await World.open()
    await useAgent(world, 'hostile.mjs')
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const running = editor.prompt(session, 'deaf', 20_000)
    // A cancel right behind its prompt is answered before the agent has seen either.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const start = performance.now()
    editor.notify('session/cancel', { sessionId: session })
    expect(await running).toEqual({ stopReason: 'cancelled' })
    expect(performance.now() - start).toBeLessThan(8_500)
    await expect
      .poll(() => world.engine.list(`glovebox.project=${world.project}`), { timeout: 3_000 })
      .toEqual([])
    expect(performance.now() - start).toBeLessThan(11_500)
  })
})
