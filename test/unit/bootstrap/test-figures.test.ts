import { expect, test } from 'vitest'

import { addUp, closingLine, figuresOf, notRun } from '../../../src/bootstrap/test-figures.mjs'

const report = (value: object): string => JSON.stringify(value)

test('Figures of a green run are its own.', () => {
  const text = report({
    numPassedTests: 12,
    numFailedTests: 0,
    numPendingTests: 1,
    testResults: [],
  })
  expect(figuresOf(0, text)).toEqual({ passed: 12, failed: 0, skipped: 1 })
})

test('A file that does not load counts as one failure, and its failed tests are not counted twice.', () => {
  const testResults = [
    { status: 'failed', assertionResults: [] },
    { status: 'failed', assertionResults: [{ status: 'failed' }] },
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
  ]
  const text = report({ numPassedTests: 1, numFailedTests: 1, testResults })
  expect(figuresOf(1, text)).toEqual({ passed: 1, failed: 2, skipped: 0 })
})

test.for([
  ['a run without a report', 1, ''],
  ['a report that is cut short', 0, '{"numPassedTests": 3'],
  ['a run that executed no test', 0, report({ numPassedTests: 0, testResults: [] })],
  ['an error outside any test', 1, report({ numPassedTests: 5, testResults: [] })],
] as const)('It is a failure: %s.', ([, code, text]) => {
  expect(figuresOf(code, text).failed).toBe(1)
})

test('The closing line names skipped tests only when there are any.', () => {
  const sum = addUp([
    { passed: 2, failed: 0, skipped: 0 },
    { passed: 3, failed: 1, skipped: 0 },
  ])
  expect(closingLine(sum)).toBe('5 passed, 1 failed')
  expect(closingLine({ passed: 1, failed: 0, skipped: 2 })).toBe('1 passed, 0 failed, 2 skipped')
})

test('Engines that were not there are named as not run.', () => {
  expect(notRun([{ kind: 'docker', rootless: false }])).toEqual(['Podman', 'rootless Podman'])
  expect(notRun([])).toEqual(['Docker', 'Podman', 'rootless Podman'])
})
