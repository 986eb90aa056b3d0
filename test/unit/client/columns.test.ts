import { expect, test } from 'vitest'

import { columns } from '../../../src/client/columns.ts'

test('Columns are as wide as their widest word, and nothing in them hides', () => {
  expect(
    columns([
      ['a', 'b'],
      ['long', '\u202ec'],
    ]),
  ).toBe('a     b\nlong  \\u{202e}c\n')
})
