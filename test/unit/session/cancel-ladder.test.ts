import { describe, expect, test } from 'vitest'

import {
  climb,
  DEFAULT_GRACE,
  INTERRUPT_BOUND,
  REAP_BOUND,
  wakeAt,
  type Ladder,
  type LadderAction,
  type LadderEvent,
} from '../../../src/session/cancel-ladder.ts'

const GRACE = DEFAULT_GRACE
const T = 100_000

const idle: Ladder = { stage: 'idle' }
const running: Ladder = { stage: 'running' }
const cancelled: Ladder = { stage: 'cancelled', until: T + 4_000, killAt: T + 11_000 }
const overdue: Ladder = { stage: 'overdue', until: T + 8_000, killAt: T + 11_000 }
const ending: Ladder = { stage: 'ending', until: T + 11_000 }
const ended: Ladder = { stage: 'ended' }
const reap = (at: number, open = 1, interrupted = false): NonNullable<Ladder['reap']> => ({
  open,
  until: at + (interrupted ? INTERRUPT_BOUND : REAP_BOUND),
  interrupted,
})

/** From, event, ms since the cancel, to, actions. */
type Row = [Ladder, LadderEvent, number, Ladder, LadderAction[]]

const TABLE: Row[] = [
  [idle, 'prompt', 0, running, []],
  [idle, 'cancel', 0, idle, ['relay']],
  [idle, 'answered', 0, idle, []],
  [idle, 'reaped', 0, idle, []],
  [idle, 'clock', 0, idle, []],
  [idle, 'container-ended', 0, ended, []],

  [running, 'prompt', 0, running, []],
  [running, 'cancel', 0, cancelled, ['relay']],
  [running, 'answered', 0, idle, []],
  [running, 'clock', 0, running, []],
  [running, 'container-ended', 0, ended, []],

  [cancelled, 'cancel', 3_000, cancelled, ['relay']],
  [cancelled, 'prompt', 1, cancelled, []],
  [cancelled, 'clock', 3_999, cancelled, []],
  [cancelled, 'answered', 5, { stage: 'idle', killAt: T + 11_000, reap: reap(T + 5) }, ['reap']],
  [cancelled, 'clock', 4_000, { ...overdue, reap: reap(T + 4_000) }, ['reap']],
  [cancelled, 'container-ended', 9, ended, ['answer']],

  [overdue, 'cancel', 5_000, overdue, ['relay']],
  [
    overdue,
    'answered',
    5_000,
    { stage: 'idle', killAt: T + 11_000, reap: reap(T + 5_000) },
    ['reap'],
  ],
  [overdue, 'clock', 8_000, ending, ['answer', 'terminate']],
  [overdue, 'left', 5_000, { stage: 'ending', until: T + 8_000 }, ['answer', 'terminate']],
  [overdue, 'container-ended', 7_000, ended, ['answer']],

  [ending, 'cancel', 9_000, ending, ['relay']],
  [ending, 'answered', 9_000, ending, []],
  [ending, 'reaped', 9_000, ending, []],
  [ending, 'left', 9_000, ending, []],
  [ending, 'clock', 10_999, ending, []],
  [ending, 'clock', 11_000, ended, ['kill']],
  [ending, 'container-ended', 9_000, ended, []],

  [ended, 'cancel', 0, ended, []],
  [ended, 'prompt', 0, ended, []],
  [ended, 'clock', 0, ended, []],
  [ended, 'container-ended', 0, ended, []],
]

describe('the ladder', () => {
  test.for(TABLE)('%j, %s at %i ms', ([from, event, at, ladder, actions]) => {
    expect(climb(from, event, T + at, GRACE)).toEqual({ ladder, actions })
  })

  const reaping: Ladder = { stage: 'idle', killAt: T + 11_000, reap: reap(T) }
  const signalled: Ladder = { ...reaping, reap: reap(T + REAP_BOUND, 1, true) }
  const second = REAP_BOUND + INTERRUPT_BOUND
  const REAPS: Row[] = [
    [reaping, 'reaped', 30, { stage: 'idle', killAt: T + 11_000 }, []],
    [{ ...reaping, reap: reap(T, 2) }, 'reaped', 30, reaping, []],
    [
      { ...signalled, reap: reap(T, 2, true) },
      'reaped',
      9,
      { stage: 'idle', killAt: T + 11_000 },
      [],
    ],
    [reaping, 'left', 1_400, { stage: 'ending', until: T + 4_400 }, ['terminate']],
    [reaping, 'clock', REAP_BOUND - 1, reaping, []],
    [reaping, 'clock', REAP_BOUND, signalled, ['interrupt']],
    [signalled, 'clock', second, { stage: 'ending', until: T + second + 3_000 }, ['terminate']],
    [
      { ...overdue, reap: reap(T + 4_000) },
      'clock',
      5_600,
      { ...overdue, reap: reap(T + 5_600, 1, true) },
      ['interrupt'],
    ],
    [
      { ...overdue, reap: reap(T + 5_600, 1, true) },
      'clock',
      6_400,
      { stage: 'ending', until: T + 9_400 },
      ['answer', 'terminate'],
    ],
  ]

  test.for(REAPS)(
    'with a reap under way: %j, %s at %i ms',
    ([from, event, at, ladder, actions]) => {
      expect(climb(from, event, T + at, GRACE)).toEqual({ ladder, actions })
    },
  )

  test('wakes for whatever is due first', () => {
    expect(wakeAt(idle)).toBeUndefined()
    expect(wakeAt(cancelled)).toBe(T + 4_000)
    expect(wakeAt({ ...overdue, reap: reap(T + 4_000) })).toBe(T + 4_000 + REAP_BOUND)
  })
})

/** Lets nobody answer but for `script` (ms since the cancel → event), and follows the clock. */
function live(script: Record<number, LadderEvent>): Record<LadderAction, number | undefined> {
  const done: Partial<Record<LadderAction, number>> = {}
  let ladder = climb(running, 'cancel', T, GRACE).ladder
  for (let ms = 0; ms <= 20_000; ms += 1) {
    const due = wakeAt(ladder)
    const events: LadderEvent[] = due !== undefined && due <= T + ms ? ['clock'] : []
    const scripted = script[ms]
    for (const event of scripted === undefined ? events : [scripted, ...events]) {
      const step = climb(ladder, event, T + ms, GRACE)
      ladder = step.ladder
      for (const action of step.actions) done[action] ??= ms
    }
  }
  return { ...NONE, ...done }
}

const NONE = {
  relay: undefined,
  reap: undefined,
  interrupt: undefined,
  answer: undefined,
  terminate: undefined,
  kill: undefined,
}

describe('the bounds', () => {
  test('an agent that never answers: reap at 4 s, answer and SIGTERM at 8 s, SIGKILL at 11 s', () => {
    expect(live({ 4_010: 'reaped' })).toEqual({
      ...NONE,
      reap: 4_000,
      answer: 8_000,
      terminate: 8_000,
      kill: 11_000,
    })
  })

  test('an agent that answers is reaped all the same, and nothing else happens', () => {
    expect(live({ 7: 'answered', 40: 'reaped' })).toEqual({ ...NONE, reap: 7 })
  })

  test.for(Array.from({ length: 81 }, (_, step) => step * 100))(
    'an agent that answers at %i ms and an init that confirms nothing: all is over by 11.5 s',
    (at) => {
      const { answer = at, kill } = live({ [at]: 'answered' })
      expect(answer).toBeLessThanOrEqual(8_500)
      expect(kill).toBeLessThanOrEqual(11_500)
    },
  )
})
