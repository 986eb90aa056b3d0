import { expect, test } from 'vitest'

import { ProcessGroups } from '../../../../../container/agent/tools/process-groups.ts'
import type { GroupCommand } from '../../../../../container/agent/tools/process-groups.ts'
import { isRunning } from '../../../../support/agent/processes.ts'

function run(groups: ProcessGroups, script: string, more: Partial<GroupCommand> = {}) {
  let output = ''
  const ended = groups.run({
    file: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    env: process.env,
    signal: new AbortController().signal,
    timeout: 10_000,
    onOutput: (text) => (output += text),
    ...more,
  })
  return ended.then((end) => ({ ...end, output }))
}

test('output of both streams, exit code and signal are reported', async () => {
  await using groups = new ProcessGroups()
  expect(await run(groups, 'echo out; echo err >&2; exit 4')).toMatchObject({
    code: 4,
    signal: null,
    timedOut: false,
  })
  expect(await run(groups, 'kill -9 $$')).toMatchObject({ code: null, signal: 'SIGKILL' })
})

test('a character split between two writes arrives whole', async () => {
  await using groups = new ProcessGroups()
  const { output } = await run(groups, String.raw`printf '\303'; sleep 0.1; printf '\274'`)
  expect(output).toBe('ü')
})

test('a command over its time is ended and says so', async () => {
  await using groups = new ProcessGroups()
  const end = await run(groups, 'sleep 30', { timeout: 100 })
  expect(end).toMatchObject({ timedOut: true, signal: 'SIGTERM' })
})

test('what a command leaves in the background ends with it, and does not hold it up', async () => {
  await using groups = new ProcessGroups()
  const begun = performance.now()
  const { output } = await run(groups, 'sleep 45 & echo $!')
  expect(performance.now() - begun).toBeLessThan(1_500)
  await expect.poll(() => isRunning(Number(output))).toBe(false)
})

test('a program that is not there is an error', async () => {
  await using groups = new ProcessGroups()
  await expect(run(groups, '', { file: '/no/such/program' })).rejects.toThrow('ENOENT')
})

test('disposing ends all groups, by force where TERM is ignored', async () => {
  const groups = new ProcessGroups()
  const ended = run(groups, `trap '' TERM; while :; do sleep 1; done`)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await groups[Symbol.asyncDispose]()
  expect(await ended).toMatchObject({ signal: 'SIGKILL' })
})
