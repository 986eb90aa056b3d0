import { expect, test, vi } from 'vitest'

import { startRun } from '../../support/client/start-run.ts'

test.for<[string, number]>([
  ['say', 0],
  ['tokens', 2],
  ['requests', 2],
  ['refuse', 1],
  ['fault', 1],
])('The prompt that ends with "%s" exits with code %d', async ([prompt, code]) => {
  await using run = startRun([prompt])
  expect(await run.exit()).toBe(code)
})

test('What the agent says is on stdout, what it does on stderr, and nothing hides in either', async () => {
  await using said = startRun(['say'])
  await said.exit()
  expect(said.output.stdout).toBe('Hello there.\\u{202e}\n')
  await using edited = startRun(['--allow', 'edit'])
  await edited.exit()
  expect(edited.output.stdout).toBe('I edit.\nAnswer b.\n')
  expect(edited.output.stderr).toContain('▸ [edit] Edit a.js')
  expect(edited.output.stderr).toContain('  -    2  two\n  +    2  2\n')
  expect(edited.output.stderr).toContain('→ Allow once')
  expect(edited.output.stderr).toContain('✔ [edit] Edit a.js: completed')
})

test('The prompt can come from stdin, and a question then is denied because nobody can be asked', async () => {
  await using run = startRun(['-'], 'edit\n')
  expect(await run.exit()).toBe(0)
  expect(run.output.stdout).toContain('Answer c.')
  expect(run.output.stderr).toContain('✖ [edit] Edit a.js: failed')
})

test('The output json is one object with the stop reason, text, calls, answers and usage', async () => {
  await using run = startRun(['--allow', '--output', 'json', 'edit'])
  expect(await run.exit()).toBe(0)
  expect(run.output.stdout.trim()).not.toContain('\n')
  expect(JSON.parse(run.output.stdout)).toEqual({
    sessionId: 's-1',
    stopReason: 'end_turn',
    text: 'I edit.Answer b.',
    toolCalls: [
      {
        toolCallId: 'call-1',
        title: 'Edit a.js',
        kind: 'edit',
        status: 'completed',
        locations: ['/project/a.js'],
        output: '',
      },
    ],
    permissions: [{ toolCallId: 'call-1', title: 'Edit a.js', answer: 'allow_once' }],
  })
  await using said = startRun(['--output', 'json', 'say'])
  await said.exit()
  expect(JSON.parse(said.output.stdout)).toMatchObject({ usage: { used: 10, size: 100 } })
  expect(said.output.stdout).toContain(String.raw`there.\u202e`)
})

test('The output stream-json is a line for each event and the result last', async () => {
  await using run = startRun(['--deny', '--output', 'stream-json', 'edit'])
  await run.exit()
  const lines = run.output.stdout.trim().split('\n')
  const types = ['update', 'update', 'question', 'answer'].map((type) => ({ type }))
  expect(lines.slice(0, 4).map((line): unknown => JSON.parse(line))).toMatchObject(types)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'result', stopReason: 'end_turn' })
})

test('An error of the agent is its sentence, without what a terminal would obey', async () => {
  await using run = startRun(['fault'])
  expect(await run.exit()).toBe(1)
  expect(run.output.stderr).toBe('glovebox: The model said \\u{1b}[31mno.\n')
})

test('A refused folder is told with the sentence of session/new, in json as well', async () => {
  await using run = startRun(['--cwd', '/nowhere', '--output', 'json', 'say'])
  expect(await run.exit()).toBe(1)
  expect(JSON.parse(run.output.stdout)).toMatchObject({ error: 'There is no folder /nowhere.' })
})

test('A mode of the agent is set before the prompt, and one it does not have is an error', async () => {
  await using known = startRun(['--mode', 'plan', 'say'])
  expect(await known.exit()).toBe(0)
  await using unknown = startRun(['--mode', 'yolo', 'say'])
  expect(await unknown.exit()).toBe(1)
  expect(unknown.output).toEqual({ stdout: '', stderr: 'glovebox: No mode yolo\n' })
})

test('An agent that ends in mid-turn is told with its last words', async () => {
  await using run = startRun(['die'])
  expect(await run.exit()).toBe(1)
  expect(run.output.stderr).toContain('glovebox: The agent ended: glovebox: The engine went away.')
})

test('The first interrupt cancels the turn and the exit code is 130', async () => {
  await using run = startRun(['--output', 'json', 'wait'])
  await using text = startRun(['wait'])
  await vi.waitFor(() => expect(text.output.stdout).toContain('Waiting.'), 5_000)
  text.interrupt()
  expect(await text.exit()).toBe(130)
  expect(text.output.stderr).toContain('stopped: cancelled')
  run.interrupt()
  expect(await run.exit()).toBe(130)
})

test('A reader that leaves ends the run, without a stack', async () => {
  await using run = startRun(['chatter'])
  await vi.waitFor(() => expect(run.output.stdout).toContain('Again.'), 5_000)
  run.leave()
  expect(await run.exit()).toBe(130)
  expect(run.output.stderr).toBe('glovebox: Interrupted.\n')
})

test('The second interrupt ends an agent that does not answer the first', async () => {
  await using run = startRun(['ignore'])
  await vi.waitFor(() => expect(run.output.stdout).toContain('Waiting.'), 5_000)
  run.interrupt()
  await new Promise((resolve) => setTimeout(resolve, 100))
  run.interrupt()
  expect(await run.exit()).toBe(130)
  expect(run.output.stderr).toContain('glovebox: Interrupted.')
})
