import { expect, test } from 'vitest'

import { readReport } from '../../../../container/demo-model/test-report.ts'

const SPEC = `✖ sums (1.6ms)
ℹ tests 1
ℹ pass 0
ℹ fail 1

✖ failing tests:

test at test/a.test.js:4:1
✖ sums (1.6ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  300 !== 1200

      at TestContext.<anonymous> (file:///home/me/my%20shop/test/a.test.js:5:10)
      at Test.run (node:internal/test_runner/test:1402:25) {
    code: 'ERR_ASSERTION',
    actual: 300,
    expected: 1200,
  }
`

const TAP = `TAP version 13
not ok 1 - sums
  ---
  expected: 'Hello'
  actual: 'Helo'
  stack: |-
    TestContext.<anonymous> (/p/node_modules/x/y.js:1:2)
    TestContext.<anonymous> (/p/test/a.test.js:9:10)
  ...
# pass 2
# fail 1
`

test.for([
  [
    'spec',
    SPEC,
    { file: '/home/me/my shop/test/a.test.js', line: 5, expected: '1200', actual: '300' },
  ],
  ['TAP', TAP, { file: '/p/test/a.test.js', line: 9, expected: "'Hello'", actual: "'Helo'" }],
] as const)('The failure is read from the %s form', ([, output, failure]) => {
  expect(readReport(output)).toMatchObject({ failed: 1, failure })
})

test('Colours do not disturb the reading', () => {
  expect(readReport('\u001b[34mℹ pass 3\u001b[39m\n\u001b[34mℹ fail 0\u001b[39m\n')).toEqual({
    passed: 3,
    failed: 0,
    failure: undefined,
  })
})

test('A failure that is no comparison has counts and no values', () => {
  expect(readReport('ℹ pass 0\nℹ fail 1\n  SyntaxError: Unexpected token\n')).toEqual({
    passed: 0,
    failed: 1,
    failure: undefined,
  })
})

test.for(['', 'sh: node: not found', 'pass 1, fail 0'])('"%s" is no report', (output) => {
  expect(readReport(output)).toBeUndefined()
})
