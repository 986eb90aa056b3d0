import { Readable, PassThrough } from 'node:stream'

import { expect, test } from 'vitest'

import { paintFor } from '../../../src/client/colour.ts'
import { runOptions } from '../../../src/commands/run.ts'

const io = (input = '', isTTY = false) => ({
  env: {},
  stdin: Object.assign(Readable.from([input]), { isTTY }),
  stdout: new PassThrough(),
  stderr: Object.assign(new PassThrough(), { isTTY }),
})

test.for([
  [['hello'], { prompt: 'hello', policy: 'deny', output: 'text', cwd: process.cwd() }],
  [['--allow', 'x'], { policy: 'allow' }],
  [['--cwd', '/p', '--agent', 'claude', 'x'], { cwd: '/p', agent: 'claude' }],
  [['--output', 'stream-json', 'x'], { output: 'stream-json' }],
] as const)('The arguments %j give %o', async ([argv, options]) => {
  expect(await runOptions([...argv], io())).toMatchObject(options)
})

test('Questions are asked on a terminal, but not when the prompt takes the input', async () => {
  expect(await runOptions(['x'], io('', true))).toMatchObject({ policy: 'ask' })
  expect(await runOptions(['-'], io('typed', true))).toMatchObject({
    policy: 'deny',
    prompt: 'typed',
  })
})

test.for([
  [[], 'There is no prompt.'],
  [[' '], 'The prompt is empty.'],
  [['--ask', '-'], 'nobody to ask'],
  [['--allow', '--deny', 'x'], 'Choose one of'],
  [['--output', 'xml', 'x'], 'There is no output "xml".'],
  [['--yolo', 'x'], '--yolo'],
  [['x', 'y'], 'y'],
] as const)('The arguments %j are refused: %s', async ([argv, sentence]) => {
  await expect(runOptions([...argv], io())).rejects.toThrow(sentence)
})

test.for([
  [true, {}, '\u001b[32mx\u001b[0m'],
  [false, {}, 'x'],
  [true, { NO_COLOR: '1' }, 'x'],
  [true, { NO_COLOR: '' }, '\u001b[32mx\u001b[0m'],
  [true, { TERM: 'dumb' }, 'x'],
] as const)('On a terminal (%s) with %j green is %j', ([isTTY, env, painted]) => {
  const stream = Object.assign(new PassThrough(), { isTTY })
  expect(paintFor(stream, env)('added', 'x')).toBe(painted)
})
