import { expect, test } from 'vitest'

import { NO_OFFERS } from '../../../../../container/agent/acp/client-offers.ts'
import { contentOf } from '../../../../../container/agent/acp/presenting.ts'

const diff = (oldText: string | undefined, newText: string) => ({
  type: 'diff' as const,
  path: '/p/a',
  oldText,
  newText,
})

test('a diff with hidden characters has a readable copy of their lines beside it', () => {
  expect(contentOf([diff('a', 'fine\nif (x\u202e) y')], 'c', NO_OFFERS)).toEqual([
    { type: 'diff', path: '/p/a', oldText: 'a', newText: 'fine\nif (x\u202e) y' },
    { type: 'content', content: { type: 'text', text: String.raw`if (x\u{202e}) y` } },
  ])
})

test.for([
  [512 * 1024, 512 * 1024, 'diff'],
  [512 * 1024, 512 * 1024 + 1, 'content'],
  [0, 1024 * 1024 + 1, 'content'],
] as const)('%i old and %i new characters are shown as %s', ([old, now, type]) => {
  const content = contentOf([diff('a'.repeat(old), 'b'.repeat(now))], 'c', NO_OFFERS)
  expect(content.map((piece) => piece.type)).toEqual([type])
})
