import { describe, expect, it, vi } from 'vitest'

import { startCommand } from '../support/client/command-line.ts'
import { World } from '../support/e2e/world.ts'

describe('glovebox run', () => {
  it('does one prompt in a folder and tells it as one JSON object', async () => {
    await using world = await World.open()
    const argv = ['run', '--allow', '--output', 'json', 'demo: write made.txt by run']
    await using run = startCommand(argv, { env: world.env, cwd: world.project })
    expect(await run.exit()).toBe(0)
    expect(JSON.parse(run.output.stdout)).toMatchObject({
      stopReason: 'end_turn',
      toolCalls: [{ kind: 'edit', status: 'completed' }],
      permissions: [{ answer: 'allow_once' }],
    })
    expect(await world.read('made.txt')).toBe('by run\n')
  })

  it('denies what nobody can be asked about, and the agent says so', async () => {
    await using world = await World.open()
    const argv = ['run', '--cwd', world.project, 'demo: write made.txt by run']
    await using run = startCommand(argv, { env: world.env })
    expect(await run.exit()).toBe(0)
    expect(run.output.stdout).toContain('I was not allowed to write made.txt')
    await expect(world.read('made.txt')).rejects.toThrow('ENOENT')
  })

  it('cancels at the first interrupt, with exit code 130', async () => {
    await using world = await World.open()
    const argv = ['run', '--cwd', world.project, 'demo: slow']
    await using run = startCommand(argv, { env: world.env })
    await vi.waitFor(() => expect(run.output.stdout).toContain('word-3'), 30_000)
    run.child.kill('SIGINT')
    expect(await run.exit()).toBe(130)
    const requests = await world.outside.modelRequests()
    expect(requests.at(-1)).toMatchObject({ complete: false })
  })

  it('ends with 1 and the provider’s sentence when the model fails', async () => {
    await using world = await World.open()
    const argv = ['run', '--cwd', world.project, '--output', 'json', 'demo: error 400']
    await using run = startCommand(argv, { env: world.env })
    expect(await run.exit()).toBe(1)
    expect(JSON.parse(run.output.stdout)).toHaveProperty('error', expect.stringMatching(/\w/))
  })
})
