import { expect, test } from 'vitest'

import { visible, visibleJson, visibleLine } from '../../../src/client/visible.ts'

test.for<[string, string, string]>([
  ['an escape sequence', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
  ['an eight-bit control', '\u009b31m', '\\u{9b}31m'],
  ['a carriage return', 'safe\rrm', 'safe\\u{d}rm'],
  ['a bidirectional override', '\u202eevil', '\\u{202e}evil'],
  ['an isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
  ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
])('%s is written out', ([, text, shown]) => {
  expect(visible(text)).toBe(shown)
})

test.for(['Grüße, 世界 ❤️', 'a\tb\nc', ''])('Plain text stays: %s', (text) => {
  expect(visible(text)).toBe(text)
})

test('A line break of another system is a line feed', () => {
  expect(visible('a\r\nb')).toBe('a\nb')
})

test('A title is one line of bounded length', () => {
  expect(visibleLine(' a\nb\tc ')).toBe('a ↵ b c')
  expect(visibleLine('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`)
})

test('JSON with hidden characters prints none of them and reads back the same', () => {
  const value = { text: '\u202e\u009b\u{e0041}\u001b é' }
  const printed = visibleJson(value)
  expect(printed).toMatch(/^[\u0020-\u007e\u00e9]+$/)
  expect(JSON.parse(printed)).toEqual(value)
})
