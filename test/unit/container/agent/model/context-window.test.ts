import { expect, test } from 'vitest'

import { contextWindowOf } from '../../../../../container/agent/model/context-window.ts'

test.for([
  ['claude-sonnet-4-5', 200_000],
  ['anthropic/claude-opus-4', 200_000],
  ['gpt-5-mini', 400_000],
  ['gpt-4.1', 1_047_576],
  ['qwen3-coder:30b', 32_768],
] as const)('%s takes %i tokens', ([model, tokens]) => {
  expect(contextWindowOf(model)).toBe(tokens)
})
