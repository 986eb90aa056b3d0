import { expect, test } from 'vitest'

import { HeadAndTail } from '../../../../../container/agent/tools/head-and-tail.ts'

function kept(limit: number, ...texts: string[]): string {
  const both = new HeadAndTail(limit)
  for (const text of texts) both.add(text)
  return both.text()
}

test('a short text is kept whole, however it comes', () => {
  expect(kept(5, '01234', '56789')).toBe('0123456789')
  expect(kept(5, ...'0123456789'.split(''))).toBe('0123456789')
})

test('of a long text both ends are kept, and the middle is counted', () => {
  const text = Array.from({ length: 1_000 }, (_, index) => index % 10).join('')
  const expected = '01234\n… 990 characters left out …\n56789'
  expect(kept(5, text)).toBe(expected)
  expect(kept(5, ...text.split(''))).toBe(expected)
})
