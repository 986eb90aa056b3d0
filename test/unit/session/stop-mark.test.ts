import { expect, test } from 'vitest'

import { markStopped, takeStopped } from '../../../src/session/stop-mark.ts'
import { scratchFolder } from '../../support/scratch.ts'

test('who stopped a session is told once, and cleaned of what is no name', async () => {
  await using folder = await scratchFolder()
  markStopped(folder.path, 'one', 'ada\u001b[31m lovelace')
  expect(takeStopped(folder.path, 'two')).toBeUndefined()
  expect(takeStopped(folder.path, 'one')).toBe('ada m lovelace')
  expect(takeStopped(folder.path, 'one')).toBeUndefined()
})

test('a session that is no plain id makes no file anywhere', async () => {
  await using folder = await scratchFolder()
  markStopped(`${folder.path}/below`, '../outside', 'ada')
  expect(takeStopped(`${folder.path}/below`, '../outside')).toBeUndefined()
})
