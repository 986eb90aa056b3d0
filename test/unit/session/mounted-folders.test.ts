import { expect, test } from 'vitest'

import { checkMounted } from '../../../src/session/mounted-folders.ts'

const project = { cwd: '/p', realCwd: '/p', uid: 1, gid: 1, identity: '8:7' }
const linked = { ...project, cwd: '/link' }
const hello = { type: 'hello', version: 1, boot: 'b', folders: ['8:7'] }

test.for<[string, typeof project, unknown, boolean]>([
  ['the folder that was judged', project, hello, true],
  ['it in both spellings', linked, { ...hello, folders: ['8:7', '8:7'] }, true],
  ['another folder', project, { ...hello, folders: ['8:9'] }, false],
  ['another folder in the second spelling', linked, { ...hello, folders: ['8:7', '8:9'] }, false],
  ['fewer folders than asked for', linked, hello, false],
  ['no folders', project, { type: 'hello', version: 1 }, false],
  ['no hello', project, { type: 'agent-started' }, false],
  [
    'another kernel, whose numbers mean nothing here',
    project,
    { ...hello, boot: 'c', folders: ['1:1'] },
    true,
  ],
])('a container with %s', ([, folder, message, right]) => {
  expect(refused(folder, message)).toBe(!right)
})

function refused(folder: typeof project, message: unknown): boolean {
  try {
    checkMounted(folder, [], message, 'b')
    return false
  } catch (error) {
    return String(error).includes('was exchanged while it was being mounted')
  }
}
