import { expect, test } from 'vitest'

import { plainText, valueOf } from '../../../../container/demo-model/source.ts'

const SOURCE = `const RATE = 3
export const BASE = 10;

export function total(count, price) {
  // Items first.
  const items = count * price

  return items + BASE
}

export const twice = (x) => x * 2 + RATE
function loops(n) {
  for (;;) {}
  return n
}
`

test.for<[string, number[], number | undefined]>([
  ['total', [2, 4], 18],
  ['twice', [5], 13],
  ['loops', [1], undefined],
  ['missing', [1], undefined],
  ['total', [2], undefined],
])('%s(%o) gives %s', ([name, args, value]) => {
  expect(valueOf(SOURCE, name, args)).toBe(value)
})

test.for<[string, string]>([
  ['tabs', '1\tone\n2\ttwo'],
  ['arrows, with a note after it', '     1→one\n     2→two\n'],
  ['colons', '1: one\n2: two'],
  ['bars', '  1| one\n  2| two'],
])('Line numbers shown with %s are taken off', ([, shown]) => {
  expect(plainText(shown)).toBe('one\ntwo')
})

test('A file without line numbers stays as it is', () => {
  expect(plainText('one\n2\ttwo\nthree')).toBe('one\n2\ttwo\nthree')
})
