import { expect, test } from 'vitest'

import { DEFAULTS } from '../../../src/policy/defaults.ts'
import { endingSentence, isOutOfMemory } from '../../../src/session/ending.ts'

test.for([
  [{ exitCode: 137, outOfMemory: true }, undefined, /memory limit of 4096 MiB.*"memory_mb"/],
  [{ exitCode: 137, outOfMemory: false }, undefined, /^The agent was killed from outside/],
  [{ exitCode: undefined, outOfMemory: false }, undefined, /connection .* broke/],
  [{ exitCode: 3, outOfMemory: false }, undefined, /exit code 3\.$/],
  [{ exitCode: 143, outOfMemory: false }, 'ada', /^ada stopped this session/],
] as const)('%j, stopped by %s', ([ending, stoppedBy, sentence]) => {
  expect(endingSentence(ending, DEFAULTS.limits, stoppedBy)).toMatch(sentence)
})

test.for([
  [137, false, false, false],
  [137, false, true, true],
  [137, true, false, true],
  [0, false, true, false],
] as const)(
  'exit code %s, told by the engine: %s, by init: %s → out of memory: %s',
  ([exitCode, outOfMemory, memory, expected]) => {
    expect(isOutOfMemory({ exitCode, outOfMemory }, { memory })).toBe(expected)
  },
)
