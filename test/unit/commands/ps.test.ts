import { expect, test } from 'vitest'

import { renderCollected } from '../../../src/commands/gc.ts'
import { renderRows } from '../../../src/commands/ps.ts'

const MIB = 1024 * 1024
const row = {
  session: '0123456789abcdef',
  container: 'c',
  state: 'running',
  agent: 'claude',
  project: '/home/u/p',
  user: 1000,
  launcher: { pid: 1, alive: true },
  since: 0,
}

test('ps shows a line for each session, and says when its launcher is dead', () => {
  const usage = { memory: 100 * MIB, memoryLimit: 4096 * MIB, cpuPercent: 12.3, pids: 21 }
  const dead = { ...row, usage: undefined, launcher: { pid: 1, alive: false } }
  expect(renderRows([{ ...row, usage }, dead], 600_000)).toBe(
    [
      'SESSION   AGENT   SINCE   MEMORY        CPU  PROCESSES  PROJECT',
      '01234567  claude  10 min  100/4096 MiB  12%  21         /home/u/p',
      '01234567  claude  10 min  -             -    -          /home/u/p (its launcher is dead)',
    ].join('\n'),
  )
  expect(renderRows([], 0)).toBe('No session runs.')
})

test('gc says what it removed', () => {
  const nothing = { containers: [], volumes: [], networks: [], state_volumes: [], files: [] }
  expect(renderCollected(nothing)).toBe('There was nothing to remove.')
  const some = { ...nothing, containers: ['0123456789abcdef'], files: ['/s/log/old.jsonl'] }
  expect(renderCollected(some)).toBe('removed container 0123456789ab\nremoved /s/log/old.jsonl')
})
