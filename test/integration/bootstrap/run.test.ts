import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { run, which } from '../../../src/bootstrap/run.mjs'
import { packageRoot } from '../../../src/package-root.ts'

const node = (code: string): Promise<string> => run(process.execPath, ['-e', code])

test('A tool’s output is returned, and it has no standard input.', async () => {
  const code = "process.stdin.on('end', () => console.log('at end')).resume()"
  expect(await node(code)).toBe('at end\n')
})

test('A failed tool is named with its last words and its exit code.', async () => {
  const code = "console.log('first'); console.error('the mirror is down'); process.exit(3)"
  await expect(node(code)).rejects.toThrow(/exit 3[^]*the mirror is down/)
})

test('Only the end of a long output is repeated.', async () => {
  const code = 'for (let n = 0; n < 500; n++) console.log(`line ${n}.`); process.exitCode = 1'
  const error = await node(code).catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('line 499.')
  expect(String(error)).not.toContain('line 400.')
})

test('A tool that is not installed is an error, and is not found.', async () => {
  await expect(run('no-such-tool-here', [])).rejects.toThrow('no-such-tool-here')
  expect(which('no-such-tool-here')).toBeUndefined()
  expect(which('sh')).toMatch(/\/sh$/)
})

test('A word the bootstrap does not know is a usage error that lists the known ones.', () => {
  const program = join(packageRoot(), 'src/bootstrap/bootstrap.mjs')
  const { status, stderr } = spawnSync(process.execPath, [program, 'demmo'], { encoding: 'utf8' })
  expect(status).toBe(64)
  expect(['demo', 'test', 'engine:stop'].filter((word) => !stderr.includes(word))).toEqual([])
})
