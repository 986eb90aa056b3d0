import { describe, expect, test } from 'vitest'

import { commandLines } from '../support/e2e/command-lines.ts'
import { choose } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

/** From the cancel to the prompt's answer, and to the end of what the turn started, in ms. */
const ANSWER_BOUND = 8_500
const REAP_BOUND = 3_000

describe('Claude Code, cancelled', () => {
  // The model takes an interrupted prompt and the next for one, so the words are few.
  test.for([
    { where: 'in mid-stream', text: 'demo: slow 60', seen: 'word-3', runs: 'claude-agent-acp' },
    { where: 'in a tool', text: 'demo: run tail -f /dev/null', seen: 'tail', runs: 'tail -f' },
  ])(
    '[G-CANCEL] $where ends its prompt and its tool, and goes on',
    async ({ text, seen, runs }) => {
      await using world = await World.open()
      await using editor = world.editor({
        args: ['--agent', 'claude'],
        onQuestion: choose('allow_once'),
      })
      const session = await editor.open(world.project, 90_000)
      await editor.ok('session/set_mode', { sessionId: session, modeId: 'default' })
      const prompt = editor.prompt(session, text, 90_000)
      await editor.until(() => JSON.stringify(editor.updates).includes(seen), seen, 60_000)
      await expect.poll(() => commandLines(world), { timeout: 20_000 }).toContain(runs)
      const start = performance.now()
      editor.notify('session/cancel', { sessionId: session })
      expect((await prompt)['stopReason']).toBe('cancelled')
      expect(performance.now() - start).toBeLessThan(ANSWER_BOUND)
      await expect.poll(() => commandLines(world), { timeout: REAP_BOUND }).not.toContain('tail -f')
      const again = await editor.prompt(session, 'demo: stop end_turn', 90_000)
      expect(again['stopReason']).toBe('end_turn')
    },
  )
})
