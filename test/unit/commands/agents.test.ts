import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'

import { expect, test } from 'vitest'

import { profileIds } from '../../../src/agents/profile.ts'
import { agentsCommand } from '../../../src/commands/agents.ts'

async function run(argv: string[]): Promise<string> {
  const stdout = new PassThrough()
  const stream = () => new PassThrough()
  const env = {
    DOCKER_HOST: 'unix:///nowhere/docker.sock',
    HOME: '/nowhere',
    ANTHROPIC_API_KEY: 'secret-key',
  }
  expect(await agentsCommand(argv, { env, stdin: stream(), stdout, stderr: stream() })).toBe(0)
  stdout.end()
  return await text(stdout)
}

test('It tells every agent as JSON, also without an engine, and never a key.', async () => {
  const told = await run(['--json'])
  const { agents }: { agents: { id: string; key: string; image: string }[] } = JSON.parse(told)
  expect(agents.map(({ id }) => id)).toEqual(profileIds())
  const claude = agents.find(({ id }) => id === 'claude')
  expect(claude).toMatchObject({ key: 'present', image: 'unknown', ready: false })
  expect(told).not.toContain('secret-key')
})

test('For people it marks the default agent and says what each one lacks.', async () => {
  const told = await run([])
  expect(told).toMatch(/^\* bundled +Glovebox agent \S+: not ready\n {4}\S/)
  expect(told).toMatch(/^ {2}codex +Codex \S+: not ready$/m)
  expect(told).not.toContain('secret-key')
})

test('It takes no words.', async () => {
  await expect(run(['codex'])).rejects.toMatchObject({ code: 'usage', exitCode: 64 })
})
