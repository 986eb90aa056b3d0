import { expect, test } from 'vitest'

import { parseFrame, type RequestFrame, type ResponseFrame } from '../../../src/acp/frame.ts'
import { Choices, nameOf } from '../../../src/session/choices.ts'

const frame = (message: unknown) => parseFrame(Buffer.from(JSON.stringify(message)))

function chosen(...requests: [method: string, params: object, failed?: boolean][]): Choices {
  const choices = new Choices()
  for (const [id, [method, params, failed]] of requests.entries()) {
    choices.asked(frame({ id, method, params: { sessionId: 's', ...params } }) as RequestFrame)
    const outcome = failed === true ? { error: { code: 1, message: 'no' } } : { result: {} }
    choices.answered(frame({ id, ...outcome }) as ResponseFrame)
  }
  return choices
}

const MODE = ['session/set_mode', { modeId: 'plan' }] as const
const MODEL = ['session/set_config_option', { configId: 'model', value: 'big' }] as const
const names = (choices: Choices, answer: unknown = {}): string[] =>
  choices.lost(answer).map((choice) => nameOf(choice))

test('What the editor set is lost when the restored session does not show it', () => {
  const choices = chosen([...MODE], [...MODEL])
  expect(choices.lost({})).toEqual([
    { method: 'session/set_mode', params: { modeId: 'plan' } },
    { method: 'session/set_config_option', params: { configId: 'model', value: 'big' } },
  ])
  const kept = {
    modes: { currentModeId: 'plan' },
    configOptions: [{ id: 'model', currentValue: 'small' }],
  }
  expect(names(choices, kept)).toEqual(['model'])
})

test('The last choice of a thing counts, in the order of the choices', () => {
  const choices = chosen([...MODE], [...MODEL], ['session/set_mode', { modeId: 'ask' }])
  expect(names(choices)).toEqual(['model', 'session/set_mode'])
  expect(choices.lost({ modes: { currentModeId: 'ask' } })).toHaveLength(1)
})

test('What the agent refused was never chosen', () => {
  expect(names(chosen([...MODE, true]))).toEqual([])
})

test('What the agent changed to since is not undone', () => {
  const choices = chosen([...MODE], [...MODEL])
  choices.seen({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' })
  expect(names(choices)).toEqual(['session/set_mode', 'model'])
  choices.seen({ sessionUpdate: 'current_mode_update', currentModeId: 'build' })
  choices.seen({
    sessionUpdate: 'config_option_update',
    configOptions: [{ id: 'model', currentValue: 'small' }],
  })
  expect(names(choices)).toEqual([])
})

test.for([undefined, null, 'text', { modes: [] }, { configOptions: {} }])(
  'An answer of any shape (%j) shows nothing and breaks nothing',
  (answer) => {
    expect(names(chosen([...MODE], [...MODEL]), answer)).toHaveLength(2)
  },
)
