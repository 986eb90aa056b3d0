import { describe, expect, it, test } from 'vitest'

import { commandLines } from '../support/e2e/command-lines.ts'
import { editorWith, SLOW, worldFor } from '../support/e2e/real-agent.ts'

/** From the cancel to the prompt's answer, and to the end of what the turn started, in ms. */
const ANSWER_BOUND = 8_500
const REAP_BOUND = 3_000

const AGENTS = [
  { agent: 'claude', preset: 'anthropic', mode: 'default' },
  { agent: 'gemini', preset: 'gemini', mode: undefined },
] as const

describe.for(AGENTS)('$agent, cancelled', ({ agent, preset, mode }) => {
  test.for([
    { where: 'in mid-stream', text: 'demo: slow 60', seen: 'word-3' },
    { where: 'in a tool', text: 'demo: run tail -f /dev/null', seen: 'tail -f' },
  ])('[G-CANCEL] $where ends its prompt and its tool', async ({ where, text, seen }) => {
    await using world = await worldFor(preset)
    await using editor = editorWith(world, agent)
    const sessionId = await editor.open(world.project, SLOW)
    if (mode !== undefined) await editor.ok('session/set_mode', { sessionId, modeId: mode })
    const prompt = editor.prompt(sessionId, text, SLOW)
    const there = async (): Promise<string> =>
      where === 'in a tool' ? commandLines(world) : JSON.stringify(editor.updates)
    await expect.poll(there, { timeout: SLOW }).toContain(seen)
    const begun = performance.now()
    editor.notify('session/cancel', { sessionId })
    expect((await prompt)['stopReason']).toBe('cancelled')
    expect(performance.now() - begun).toBeLessThan(ANSWER_BOUND)
    await expect.poll(() => commandLines(world), { timeout: REAP_BOUND }).not.toContain('tail -f')
  })

  it('[G-CANCEL] while its model call hangs ends its prompt, and goes on when the model answers again', async () => {
    await using world = await worldFor(preset)
    await using editor = editorWith(world, agent)
    const sessionId = await editor.open(world.project, SLOW)
    await world.outside.hangModel(true)
    const prompt = editor.prompt(sessionId, 'demo: stop end_turn', SLOW)
    const asked = async (): Promise<number> =>
      (await world.audit()).filter(
        ({ type, kind }) => type === 'egress.decision' && kind === 'gateway',
      ).length
    await expect.poll(asked, { timeout: SLOW }).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const begun = performance.now()
    editor.notify('session/cancel', { sessionId })
    const { stopReason } = await prompt
    await world.outside.hangModel(false)
    expect(stopReason).toBe('cancelled')
    expect(performance.now() - begun).toBeLessThan(ANSWER_BOUND)
    expect(await editor.prompt(sessionId, 'demo: stop end_turn', SLOW)).toMatchObject({
      stopReason: 'end_turn',
    })
  })
})
