import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { bareAgent, startAgent } from '../../support/agent/agent-process.ts'
import { isRunning } from '../../support/agent/processes.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

test('[wire.stdout] a library that prints to stdout writes to stderr, and the frames stay frames', async () => {
  await using project = await newProject()
  const library = path.join(project.root, 'noisy.mjs')
  await writeFile(
    library,
    `setInterval(() => { console.log('noise'); process.stdout.write('more noise\\n', 'utf8', () => {}) }, 5).unref()`,
  )
  await using model = await scriptedModel()
  model.reply({ text: 'Hello' })
  await using agent = await startAgent({ model, nodeArguments: ['--import', library] })
  await agent.prompt(await agent.session(project.root), 'hi')
  await sleep(30)
  expect(agent.faults).toEqual([])
  expect(agent.stderr).toContain('more noise')
})

test('[wire.ndjson] a message split inside a character, two in one chunk, and CR LF are all read', async () => {
  await using agent = await bareAgent()
  const first = Buffer.from(
    `${JSON.stringify({ jsonrpc: '2.0', id: 'ü', method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } })}\r\n`,
  )
  const cut = first.indexOf('ü') + 1
  agent.writeRaw(first.subarray(0, cut))
  await sleep(30)
  agent.writeRaw(first.subarray(cut))
  await expect.poll(() => agent.frames.at(-1)?.id).toBe('ü')
  agent.faults.length = 0
})

test('[wire.ndjson] a line that is no JSON is answered with a parse error, and the next one is read', async () => {
  await using agent = await bareAgent()
  agent.writeRaw('{"jsonrpc": nonsense\n')
  await agent.initialize()
  expect(agent.frames[0]).toMatchObject({ id: null, error: { code: -32_700 } })
})

test('[wire.eof] [session.disconnect] the end of stdin ends the agent with 0 and every command with it', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({
    calls: [
      { name: 'run_command', input: { command: `trap '' TERM; echo $$ > pid; sleep 60 & wait` } },
    ],
  })
  await using agent = await startAgent({ model })
  const prompt = agent.prompt(await agent.session(project.root, 'build'), 'go')
  const pid = await pidIn(project)
  agent.endInput()
  await expect(prompt).rejects.toThrow(/clos/i)
  expect(await agent.exited).toEqual({ code: 0, signal: null })
  expect(await isRunning(pid)).toBe(false)
})

test('[wire.sigterm] SIGTERM does the same at once, even to a command that ignores it', async () => {
  await using project = await newProject()
  await using model = await scriptedModel()
  const command = `trap '' TERM; echo $$ > pid; sleep 60 & wait`
  model.reply({ calls: [{ name: 'run_command', input: { command } }] })
  await using agent = await startAgent({ model })
  const prompt = agent.prompt(await agent.session(project.root, 'build'), 'go')
  prompt.catch(() => undefined)
  const pid = await pidIn(project)
  const begun = performance.now()
  agent.kill('SIGTERM')
  expect(await agent.exited).toEqual({ code: 0, signal: null })
  expect(performance.now() - begun).toBeLessThan(1_000)
  await expect.poll(() => isRunning(pid)).toBe(false)
})

test('a message larger than 32 MiB ends the agent with one sentence', async () => {
  await using agent = await startAgent()
  agent.writeRaw(Buffer.alloc(33 * 1024 * 1024, 'x'))
  expect(await agent.exited).toEqual({ code: 1, signal: null })
  expect(agent.stderr).toBe('glovebox: a message on stdin is larger than 32 MiB\n')
})

async function pidIn(project: { read: (name: string) => Promise<string> }): Promise<number> {
  await expect
    .poll(() => project.read('pid').catch(() => ''), { timeout: 5_000 })
    .toMatch(/^\d+\n$/)
  return Number(await project.read('pid'))
}
