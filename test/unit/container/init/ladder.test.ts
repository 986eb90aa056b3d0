import { expect, test } from 'vitest'

import {
  EXIT_AFTER,
  KILL_AFTER,
  type LadderEvent,
  type Stage,
  type Step,
  TERM_AFTER,
  climb,
} from '../../../../container/init/ladder.ts'

const TABLE: [Stage, LadderEvent, Step][] = [
  ['running', 'end-asked', { stage: 'closing', action: 'close-input', timer: TERM_AFTER }],
  ['running', 'timer', { stage: 'running' }],
  ['running', 'agent-ended', { stage: 'ended', action: 'exit' }],
  ['closing', 'end-asked', { stage: 'closing' }],
  ['closing', 'timer', { stage: 'terminating', action: 'terminate', timer: KILL_AFTER }],
  ['closing', 'agent-ended', { stage: 'ended', action: 'exit' }],
  ['terminating', 'end-asked', { stage: 'terminating' }],
  ['terminating', 'timer', { stage: 'killing', action: 'kill', timer: EXIT_AFTER }],
  ['terminating', 'agent-ended', { stage: 'ended', action: 'exit' }],
  ['killing', 'end-asked', { stage: 'killing' }],
  ['killing', 'timer', { stage: 'ended', action: 'exit' }],
  ['killing', 'agent-ended', { stage: 'ended', action: 'exit' }],
  ['ended', 'end-asked', { stage: 'ended' }],
  ['ended', 'timer', { stage: 'ended' }],
  ['ended', 'agent-ended', { stage: 'ended' }],
]

test.for(TABLE)('%s, then %s', ([stage, event, step]) => {
  expect(climb(stage, event)).toEqual(step)
})

test('an agent that answers nothing is killed two seconds after the end was asked for', () => {
  expect(TERM_AFTER + KILL_AFTER).toBe(2_000)
})
