import { expect, it } from 'vitest'

import { choose } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

/** How long a cold agent may take, in ms. */
const SLOW = 90_000

it('[G-CANCEL] Claude Code, killed in mid-stream, goes on with its conversation in a new container', async () => {
  await using world = await World.open()
  await using editor = world.editor({
    args: ['--agent', 'claude'],
    onQuestion: choose('allow_once'),
  })
  const session = await editor.open(world.project, SLOW)
  await editor.prompt(session, 'demo: stop end_turn', SLOW)
  const prompt = editor.call(
    'session/prompt',
    { sessionId: session, prompt: [{ type: 'text', text: 'demo: slow 20' }] },
    SLOW,
  )
  await editor.until(() => editor.text.includes('word-3'), 'the answer streams', SLOW)
  const [agent] = await world.engine.list(`glovebox.project=${world.project}`)
  await world.engine.container(agent?.id ?? '').remove()
  expect((await prompt).error?.message).toContain('Send the prompt again')
  const before = editor.updates.length
  const again = await editor.prompt(session, 'demo: stop end_turn', SLOW)
  expect(again['stopReason']).toBe('end_turn')
  const heard = JSON.stringify(editor.updates.slice(before))
  expect(heard.split('The session goes on in a new container')).toHaveLength(2)
  expect(heard).not.toContain('begins anew')
  const restored = (await world.audit()).find(({ type }) => type === 'session.restore')
  expect(restored).toMatchObject({ method: 'session/resume', but: [] })
})
