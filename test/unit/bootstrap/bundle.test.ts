import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { fingerprint } from '../../../src/bootstrap/bundle.mjs'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'glovebox-fingerprint-'))
  await mkdir(join(root, 'src/deep'), { recursive: true })
  await writeFile(join(root, 'src/a.ts'), 'a')
  await writeFile(join(root, 'src/deep/b.ts'), 'b')
  await writeFile(join(root, 'config.ts'), 'c')
})
afterEach(async () => rm(root, { recursive: true }))

const of = () => fingerprint(root, ['src', 'config.ts'])

test('Unchanged sources keep their fingerprint, also when they were written anew.', async () => {
  const before = of()
  await writeFile(join(root, 'src/a.ts'), 'a')
  expect(of()).toBe(before)
})

test.for([
  ['changed content', () => writeFile(join(root, 'src/deep/b.ts'), 'B')],
  ['a new file', () => writeFile(join(root, 'src/c.ts'), '')],
  ['a new name', () => rename(join(root, 'src/a.ts'), join(root, 'src/d.ts'))],
  ['a removed file', () => rm(join(root, 'src/a.ts'))],
] as const)('It changes with %s.', async ([, change]) => {
  const before = of()
  await change()
  expect(of()).not.toBe(before)
})

test('A source that is missing is an error, not an empty one.', () => {
  expect(() => fingerprint(root, ['nowhere'])).toThrow(/ENOENT/)
})
