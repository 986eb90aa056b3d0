import { expect, test } from 'vitest'

import { InitTurns } from '../../../src/session/cancel-init.ts'

function start() {
  const sent: Record<string, unknown>[] = []
  const init = new InitTurns((message) => sent.push(message), ['*server*'])
  return { init, sent }
}

test('a mark names turn and helpers and waits for its own confirmation', async () => {
  const { init, sent } = start()
  let marked = false
  const mark = init.mark('2').then(() => (marked = true))
  expect(sent).toEqual([{ type: 'mark', turn: '2', helpers: ['*server*'] }])
  init.receive({ type: 'marked', turn: '1' }, false)
  await Promise.resolve()
  expect(marked).toBe(false)
  init.receive({ type: 'marked', turn: '2' }, false)
  await mark
})

test('a mark that nobody confirms is given up after 250 ms', async () => {
  const { init } = start()
  const begun = performance.now()
  await init.mark('1')
  expect(performance.now() - begun).toBeGreaterThan(240)
  expect(performance.now() - begun).toBeLessThan(1_000)
})

test('the report of a reap counts once, and only under an id that was given', () => {
  const { init, sent } = start()
  init.reap()
  expect(sent).toEqual([{ type: 'reap', id: 1 }])
  const report = { type: 'reaped', processes: [{ pid: 7, command: 'sleep 60' }], left: 0 }
  expect(init.receive({ ...report, id: 2 }, false)).toBeUndefined()
  expect(init.receive({ ...report, id: 1 }, false)).toEqual({
    processes: [{ pid: 7, command: 'sleep 60' }],
    left: 0,
  })
  expect(init.receive({ ...report, id: 1 }, false)).toBeUndefined()
})

test('a report without an id counts only after a signal: the agent can send init one as well', () => {
  const { init } = start()
  const report = { type: 'reaped', processes: [], left: 0 }
  expect(init.receive(report, false)).toBeUndefined()
  expect(init.receive(report, true)).toEqual({ processes: [], left: 0 })
})

test('a report is cut to what is recorded, whatever comes', () => {
  const { init } = start()
  init.reap()
  const processes = [null, 3, ...Array.from({ length: 200 }, () => ({ command: 'x'.repeat(999) }))]
  const report = init.receive({ type: 'reaped', id: 1, processes, left: 'none' }, false)
  expect(report?.processes).toHaveLength(98)
  expect(report?.processes[0]).toEqual({ pid: NaN, command: 'x'.repeat(200) })
  expect(report?.left).toBe(0)
})
