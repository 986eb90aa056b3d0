import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterEach, expect, test } from 'vitest'

import { endProcess, livePid, pidsWith } from '../../../src/bootstrap/processes.mjs'
import { scratchFolder } from '../../support/scratch.ts'

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A process with `mark` among its arguments; resolves when it runs. */
async function marked(mark: string, code: string): Promise<{ child: ChildProcess; pid: number }> {
  const script = `${code}; console.log('up'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script, mark], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  await once(child.stdout, 'data')
  return { child, pid: child.pid ?? 0 }
}

test('A pid file names a process only while that process has our mark.', async () => {
  await using folder = await scratchFolder()
  const mark = `unix:///${randomUUID()}`
  const file = join(folder.path, 'engine.pid')
  const { pid } = await marked(mark, '')
  await writeFile(file, `${pid}\n`)
  expect(livePid(file, mark)).toBe(pid)
  expect(livePid(file, `${mark}x`)).toBeUndefined()
  expect(pidsWith(mark)).toEqual([pid])
})

test.for(['', 'not a number', '1', '-1', '99999999'])(
  'A pid file with %j names nobody.',
  async (text) => {
    await using folder = await scratchFolder()
    const file = join(folder.path, 'engine.pid')
    await writeFile(file, text)
    expect(livePid(file, 'anything')).toBeUndefined()
  },
)

test('A missing pid file names nobody.', () => {
  expect(livePid('/nowhere/engine.pid', 'anything')).toBeUndefined()
})

test('A process that ends at SIGTERM is given the time to.', async () => {
  const mark = randomUUID()
  const { child, pid } = await marked(
    mark,
    "process.on('SIGTERM', () => setTimeout(() => process.exit(7), 200))",
  )
  const exit = once(child, 'exit')
  await endProcess(pid, mark, 5_000)
  expect(await exit).toEqual([7, null])
})

test('A process that ignores SIGTERM is killed after the bound.', async () => {
  const mark = randomUUID()
  const { child, pid } = await marked(mark, "process.on('SIGTERM', () => {})")
  const exit = once(child, 'exit')
  await endProcess(pid, mark, 300)
  expect(await exit).toEqual([null, 'SIGKILL'])
})

test('A process without our mark is left alone.', async () => {
  const { child, pid } = await marked(randomUUID(), '')
  await endProcess(pid, 'another mark', 100)
  expect(child.exitCode ?? child.signalCode).toBeNull()
})
