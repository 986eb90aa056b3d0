import { expect, test } from 'vitest'

import { hasHidden, oneLine, sentence, visible } from '../../../../container/agent/visible.ts'

test.for([
  ['\u202e', '202e'],
  ['\u2066', '2066'],
  ['\u200b', '200b'],
  ['\u200d', '200d'],
  ['\ufeff', 'feff'],
  ['\u00ad', 'ad'],
  ['\u0000', '0'],
  ['\u001b', '1b'],
  ['\u007f', '7f'],
  ['\u0085', '85'],
  ['\r', 'd'],
  ['\u2028', '2028'],
  ['\u3164', '3164'],
  ['\u{e0041}', 'e0041'],
] as const)('%j is written out', ([character, code]) => {
  expect(visible(`a${character}b`)).toBe(String.raw`a\u{${code}}b`)
  expect(hasHidden(`a${character}b`)).toBe(true)
})

test.for(['plain', 'tab\tand\nline', 'Grüße, 你好, مرحبا, 👍', 'two\r\nlines'])(
  '%j hides nothing',
  (text) => {
    expect(hasHidden(text)).toBe(false)
    expect(visible(text.replaceAll('\r\n', '\n'))).toBe(text.replaceAll('\r\n', '\n'))
  },
)

test('a title is one line of bounded length', () => {
  expect(oneLine('  a\n  b\tc\r\nd \u202e')).toBe(String.raw`a ↵ b c ↵ d \u{202e}`)
  expect(oneLine('x'.repeat(500), 10)).toBe(`${'x'.repeat(9)}…`)
})

test.for([
  ['words', 'words.'],
  ['words.', 'words.'],
  ['words!', 'words!'],
] as const)('%s becomes the sentence %s', ([words, expected]) => {
  expect(sentence(words)).toBe(expected)
})
