import { statSync } from 'node:fs'

import { expect, test } from 'vitest'

import { folderFacts } from '../../../../container/init/folders.ts'

test('Folders are told by device and inode, one that is not there by nothing.', () => {
  const { dev, ino } = statSync('/', { bigint: true })
  const { boot, folders } = folderFacts(JSON.stringify(['/', '/not/there']))
  expect(folders).toEqual([`${dev}:${ino}`, ''])
  expect(boot).toMatch(/^[0-9a-f-]{36}$/)
})

test.for([undefined, '', 'nonsense', '{"a":1}'])('A list that is %j names no folder.', (list) => {
  expect(folderFacts(list).folders).toEqual([])
})
