import { PassThrough } from 'node:stream'

import { expect, test } from 'vitest'

import { buildCommand } from '../../../src/commands/build.ts'

const io = () => ({
  env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' },
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
})

test.for([
  [['unknown-agent'], 'nothing called "unknown-agent"'],
  [['--frm', 'x.tar'], '--frm'],
  [['--from', 'x.tar', '--base', 'node:24'], '--from takes no --base'],
] as const)('It refuses %j before it looks for an engine.', async ([argv, sentence]) => {
  const failure = buildCommand([...argv], io())
  await expect(failure).rejects.toMatchObject({ code: 'usage', exitCode: 64 })
  await expect(failure).rejects.toThrow(sentence)
})

test('An engine that was named and does not answer is the error, with exit code 69.', async () => {
  const failure = buildCommand(['bundled'], io())
  await expect(failure).rejects.toMatchObject({ code: 'engine_missing', exitCode: 69 })
})
