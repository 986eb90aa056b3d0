import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'

import type { Editor } from '../support/e2e/editor.ts'
import { useAgent } from '../support/e2e/other-agent.ts'
import { World } from '../support/e2e/world.ts'

let world: World

beforeAll(async () => {
  world = await World.open({
    config: { limits: { memory_mb: 256, pids: 64, tmp_mb: 8, home_mb: 8 } },
  })
  await useAgent(world, 'turns.mjs')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const HOG = `perl -e '$x = "x" x 900000000; print length $x'`

async function turn(editor: Editor, command: string): Promise<string> {
  const session = await editor.open(world.project)
  await editor.prompt(session, `sh ${command}\nend-after 1500`)
  return editor.text
}

describe('a limit that is hit is told at the turn’s end, with how to raise it', () => {
  test.for([
    ['memory', HOG, 'memory limit of 256 MiB was reached', '"memory_mb"'],
    ['processes', 'for i in $(seq 200); do sleep 1 & done', 'limit of 64 processes', '"pids"'],
    ['/tmp', 'head -c 20000000 /dev/zero > /tmp/x', '/tmp is full: its limit is 8 MiB', '"tmp_mb"'],
    ['home', 'head -c 20000000 /dev/zero > ~/x', 'home folder is full', '"home_mb"'],
  ] as const)('%s', async ([, command, sentence, key]) => {
    await using editor = world.editor()
    const text = await turn(editor, command)
    expect(text).toContain(sentence)
    expect(text).toContain(key)
    expect(await editor.prompt('sess_1', 'end')).toEqual({ stopReason: 'end_turn' })
    expect(editor.text.split(sentence)).toHaveLength(2)
  })

  it('[G-CANCEL] a fork bomb is told, and is dead after a cancel', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const prompt = editor.prompt(session, 'sh bomb() { bomb | bomb & }; bomb')
    await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const begun = performance.now()
    editor.notify('session/cancel', { sessionId: session })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    expect(performance.now() - begun).toBeLessThan(8_500)
    expect(editor.text).toContain('limit of 64 processes')
  })
})

describe('a container that is killed', () => {
  it('from outside is not said to have hit its memory limit', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const [agent] = await world.engine.list(`glovebox.project=${world.project}`)
    const prompt = editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'child 6200' }],
    })
    await editor.until(() => editor.text.includes('[begun]'), 'the turn begins')
    await world.engine.container(agent?.id ?? '').remove()
    const { error } = await prompt
    expect(error?.message).toMatch(/killed from outside|connection to the agent’s container broke/)
    expect(error?.message).not.toContain('memory')
  })

  it('at its memory limit says so, and how to raise it', async () => {
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const { error } = await editor.call('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text: 'hog' }],
    })
    expect(error?.message).toContain('memory limit of 256 MiB was reached')
    expect(error?.message).toContain('"memory_mb"')
  })
})
