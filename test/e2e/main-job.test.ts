import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { choose } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

describe('a prompt', () => {
  it('[G-MOUNT] changes a file of the project, which belongs to the project’s owner', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    const { stopReason } = await editor.prompt(session, 'demo: write hello.txt made inside')
    expect(stopReason).toBe('end_turn')
    expect(await world.read('hello.txt')).toBe('made inside\n')
    const { uid, gid } = await stat(join(world.project, 'hello.txt'))
    expect({ uid, gid }).toEqual(world.owner)
    expect(editor.noise).toEqual([])
  })

  it('asks first, with the diff of the edit, and leaves the file alone when the answer is no', async () => {
    await using world = await World.open()
    await world.write('kept.txt', 'before\n')
    await using editor = world.editor({ onQuestion: choose('reject_once') })
    const session = await editor.open(world.project)
    const { stopReason } = await editor.prompt(session, 'demo: write kept.txt after')
    expect(stopReason).toBe('end_turn')
    expect(await world.read('kept.txt')).toBe('before\n')
    const [question] = editor.questions
    expect(question?.method).toBe('session/request_permission')
    expect(JSON.stringify(question?.params)).toContain('"oldText":"before\\n"')
    const asked = await world.outside.modelRequests()
    expect(asked.length).toBeGreaterThan(1)
    expect(editor.text).toMatch(/den|reject|not allowed/i)
  })

  it('reaches the model with the real key, and its words reach the editor', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const session = await editor.open(world.project)
    await editor.prompt(session, 'Hello?')
    expect(editor.text.length).toBeGreaterThan(10)
    const requests = await world.outside.modelRequests()
    expect(requests.some((request) => JSON.stringify(request).includes('/v1/messages'))).toBe(true)
  })

  it('runs in its own container for each session of one connection, whatever the folder', async () => {
    await using world = await World.open()
    await using editor = world.editor()
    const first = await editor.open(world.project)
    const { sessionId: second } = await editor.ok('session/new', {
      cwd: world.project,
      mcpServers: [],
    })
    expect(second).not.toBe(first)
    await Promise.all([
      editor.prompt(first, 'demo: write one.txt 1'),
      editor.prompt(String(second), 'demo: write two.txt 2'),
    ])
    expect([await world.read('one.txt'), await world.read('two.txt')]).toEqual(['1\n', '2\n'])
  })
})
