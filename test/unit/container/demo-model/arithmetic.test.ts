import { expect, test } from 'vitest'

import { evaluate, tokensOf } from '../../../../container/demo-model/arithmetic.ts'

const scope = new Map([
  ['a', 7],
  ['b', 3],
])

test.for<[string, number]>([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['a - b - 1', 3],
  ['a % b', 1],
  ['a / 2 - -b', 6.5],
  ['1_000 + .5'.replace('.5', '0.5'), 1000.5],
])('%s is %d', ([expression, value]) => {
  expect(evaluate(expression, scope)).toBe(value)
})

test.for(['', 'a +', '(a', 'a b', 'unknown', 'a.b', 'f(a)', 'a && b', '"a"', 'a ** b'])(
  '"%s" has no value',
  (expression) => {
    expect(evaluate(expression, scope)).toBeUndefined()
  },
)

test('A token knows where it stands in the expression', () => {
  expect(tokensOf('  a +  10')).toEqual([
    { kind: 'name', text: 'a', at: 2 },
    { kind: 'operator', text: '+', at: 4 },
    { kind: 'number', text: '10', at: 7 },
  ])
})
