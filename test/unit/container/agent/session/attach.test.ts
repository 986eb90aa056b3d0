import { expect, test } from 'vitest'

import { labelledBlock } from '../../../../../container/agent/session/attach.ts'

test.for(['plain', '```', '````\n``', '`````````'])(
  'the fence around %j is longer than any in it',
  (text) => {
    const [, fence = '', ...rest] = labelledBlock('a', text).split('\n')
    expect(fence).toMatch(/^`{3,}$/)
    expect(rest.slice(0, -1).some((line) => line.includes(fence))).toBe(false)
    expect(rest.at(-1)).toBe(fence)
  },
)

test('a label cannot end its line', () => {
  expect(labelledBlock('a\n```\nb', 'x').split('\n')[0]).toBe(
    String.raw`"a\n` + '```' + String.raw`\nb":`,
  )
})
