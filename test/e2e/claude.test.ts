import { describe, expect, it } from 'vitest'

import { choose } from '../support/e2e/editor.ts'
import { search } from '../support/e2e/search.ts'
import { World } from '../support/e2e/world.ts'

describe('Claude Code in its own image', () => {
  it('[G-KEY] does a turn with a tool call and a permission request; the model sees the real key, the container never', async () => {
    await using world = await World.open()
    await using editor = world.editor({
      args: ['--agent', 'claude'],
      onQuestion: choose('allow_once'),
    })
    const session = await editor.open(world.project, 90_000)
    const { stopReason } = await editor.prompt(
      session,
      'demo: run touch made-by-claude.txt',
      90_000,
    )
    expect(stopReason).toBe('end_turn')
    expect(await world.read('made-by-claude.txt')).toBe('')
    expect(editor.questions.map(({ method }) => method)).toContain('session/request_permission')
    const requests = await world.outside.modelRequests()
    const messages = requests.filter((request) => JSON.stringify(request).includes('/v1/messages'))
    expect(messages.length).toBeGreaterThan(1)
    const [agent] = await world.engine.list(`glovebox.project=${world.project}`)
    expect(await search(world.engine, agent?.id ?? '', world.outside.key)).toEqual({
      inspect: false,
      environment: false,
      files: false,
      memory: false,
    })
  })
})
