import { expect, test } from 'vitest'

import { TurnOutput } from '../../../src/session/cancel-output.ts'

test.for([
  ['user_message_chunk', false],
  ['agent_message_chunk', false],
  ['tool_call', false],
  ['plan', false],
  ['something_new', false],
  ['available_commands_update', true],
  ['current_mode_update', true],
  ['config_option_update', true],
  ['session_info_update', true],
  ['usage_update', true],
] as const)('While a session is restored, %s is shown: %s', ([sessionUpdate, shown]) => {
  const output = new TurnOutput(true)
  expect(output.closed).toBe(true)
  expect(output.see({ sessionUpdate })).toBe(shown)
  output.begin()
  expect(output.closed).toBe(false)
  expect(output.see({ sessionUpdate })).toBe(true)
})
