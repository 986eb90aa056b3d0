import { describe, expect, it, test } from 'vitest'

import { parseStat, type Process } from '../../../../container/init/processes.ts'
import { markOf, matches, strays } from '../../../../container/init/strays.ts'

const process = (pid: number, parent: number, start = 100, state = 'S'): Process => ({
  pid,
  parent,
  start,
  state,
})
const scan = (processes: Process[]) => ({ processes, steady: true })

/** init 1, tini 5, the agent 6 and its child 7 are there when the turn begins. */
const BEFORE = [process(1, 0), process(5, 1), process(6, 5), process(7, 6)]
const mark = markOf(scan(BEFORE))
const found = (later: Process[], helpers: (one: Process) => boolean = () => false) =>
  strays(scan([...BEFORE, ...later]), { self: 1, mark, helpers }).map(({ pid }) => pid)

describe('what a turn left behind', () => {
  it('is what was not there at the mark: children, orphans, and children of older processes', () => {
    expect(found([process(8, 6, 200), process(9, 5, 201), process(10, 7, 202)])).toEqual([8, 9, 10])
  })

  it('is not the agent, nor anything older', () => {
    expect(found([])).toEqual([])
  })

  it('is a process that took the id of an older one', () => {
    const later = [...BEFORE.slice(0, 3), process(7, 6, 300)]
    expect(strays(scan(later), { self: 1, mark, helpers: () => false })).toEqual([
      process(7, 6, 300),
    ])
  })

  it('is not a process that is dead already', () => {
    expect(found([process(8, 6, 200, 'Z'), process(9, 6, 200, 'T')])).toEqual([9])
  })

  it('is not what the engine started from outside, nor its children', () => {
    expect(found([process(20, 0, 200), process(21, 20, 200)])).toEqual([])
  })

  it('is not a helper, nor what a helper started', () => {
    const later = [process(8, 6, 200), process(9, 8, 201), process(10, 6, 202)]
    expect(found(later, ({ pid }) => pid === 8)).toEqual([10])
  })

  it('is no helper because of an older process with a helper’s name', () => {
    expect(found([process(8, 7, 200)], ({ pid }) => pid === 7)).toEqual([8])
  })

  it('ends its search in a list that closes a circle', () => {
    expect(found([process(8, 9, 200), process(9, 8, 200)])).toEqual([])
  })
})

test('a stat line is read past a command of spaces and brackets', () => {
  const fields = 'S 6 8 8 0 -1 4194304 1 0 0 0 1 2 3 4 20 0 1 0 4711 99 1'
  expect(parseStat(`8 (a) S 1 (b) ${fields}\n`)).toEqual(process(8, 6, 4711))
})

test.for([
  ['sleep 60', 'sleep 60', true],
  ['sleep 60', 'sleep 600', false],
  ['*', 'anything', true],
  ['*rust-analyzer*', '/usr/bin/rust-analyzer --stdio', true],
  ['*rust-analyzer', '/usr/bin/rust-analyzer --stdio', false],
  ['/usr/bin/*', '/usr/bin/x', true],
  ['/usr/bin/*', 'x /usr/bin/x', false],
  ['a*b*a', 'aba', true],
  ['ab*ba', 'aba', false],
  ['a*b*c', 'acb', false],
] as const)('the pattern %s on %s', ([pattern, command, expected]) => {
  expect(matches(pattern, command)).toBe(expected)
})
