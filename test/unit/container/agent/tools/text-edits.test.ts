import { expect, test } from 'vitest'

import { applyEdits } from '../../../../../container/agent/tools/text-edits.ts'

const edit = (oldText: string, newText: string, everywhere = false) => ({
  oldText,
  newText,
  everywhere,
})

test('edits are applied in order, each to what the one before left', () => {
  expect(applyEdits('a\nb\nc\n', [edit('b', 'x'), edit('x\nc', 'y')], 'f')).toEqual({
    text: 'a\ny\n',
    line: 2,
  })
})

test('replacement text is taken as it is, dollar signs and all', () => {
  expect(applyEdits('a a', [edit('a', '$& $1', true)], 'f').text).toBe('$& $1 $& $1')
  expect(applyEdits('a', [edit('a', '$&')], 'f').text).toBe('$&')
})

test('a file with CR LF takes edits written with LF and keeps its line ends', () => {
  expect(applyEdits('a\r\nb\r\nc', [edit('a\nb', 'x\ny')], 'f').text).toBe('x\r\ny\r\nc')
})

test.for([
  [[edit('z', 'y')], /The old text is not in f\. It must match exactly/],
  [[edit('a', 'b')], /The old text is 3 times in f\./],
  [[edit('', 'b')], /The old text for f is empty/],
  [[edit('a b', 'a b')], /leaves f as it is/],
  [[edit('a b', 'x'), edit('z', 'y')], /not in f \(edit 2 of 2\)/],
] as const)('the edits %j are refused with the reason', ([edits, reason]) => {
  expect(() => applyEdits('a b a a', [...edits], 'f')).toThrow(reason)
})
