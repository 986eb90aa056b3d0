import { expect, test } from 'vitest'

import { diffLines } from '../../../src/client/line-diff.ts'

const shown = (oldText: string, newText: string) =>
  diffLines(oldText, newText).map(({ sign, text, line }) => `${sign}${line} ${text}`)

const many = (word: string) =>
  Array.from({ length: 1100 }, (_, index) => `${word}${index}\n`).join('')

test('A changed line is shown with two lines around it', () => {
  expect(shown('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nD\ne\nf\n')).toEqual([
    ' 2 b',
    ' 3 c',
    '-4 d',
    '+4 D',
    ' 5 e',
    ' 6 f',
  ])
})

test('Lines that stay between two changes are not shown as changed', () => {
  expect(shown('x\nsame\ny\n', 'X\nsame\nY\n')).toEqual(['-1 x', '+1 X', ' 2 same', '-3 y', '+3 Y'])
})

test.for([
  ['', 'a\nb\n', ['+1 a', '+2 b']],
  ['a\n', '', ['-1 a']],
  ['a\na\n', 'a\na\na\n', [' 1 a', ' 2 a', '+3 a']],
  ['a\nb\n', 'a\nb\n', [' 1 a', ' 2 b']],
] as const)('%j to %j', ([oldText, newText, lines]) => {
  expect(shown(oldText, newText)).toEqual(lines)
})

test('A change too large to compare is all of the old and then all of the new', () => {
  const diff = diffLines(many('a'), many('b'))
  expect(diff.map(({ sign }) => sign).join('')).toBe('-'.repeat(1100) + '+'.repeat(1100))
})
