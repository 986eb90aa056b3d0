import { chmod, link, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { replaceFile } from '../../../../../container/agent/tools/replace-file.ts'
import { newProject } from '../../../../support/agent/project.ts'

test('the mode of the file is kept, and nothing else is left in the folder', async () => {
  await using project = await newProject({ 'run.sh': 'old' })
  const file = project.path('run.sh')
  await chmod(file, 0o4755)
  const before = await stat(file)
  await replaceFile(file, 'run.sh', 'new')
  const after = await stat(file)
  expect(after.mode).toBe(before.mode)
  expect(after.ino).not.toBe(before.ino)
  expect(await readdir(project.root)).toEqual(['run.sh'])
})

test('folders are made as needed', async () => {
  await using project = await newProject()
  await replaceFile(project.path('a/b/c.txt'), 'a/b/c.txt', 'x')
  expect(await project.read('a/b/c.txt')).toBe('x')
})

test('a second hard link goes on naming the same file', async () => {
  await using project = await newProject({ one: 'old' })
  await link(project.path('one'), project.path('two'))
  await replaceFile(project.path('one'), 'one', 'new')
  expect(await project.read('two')).toBe('new')
})

test('a folder in the file’s place is a failure with a sentence, and no rest is left', async () => {
  await using project = await newProject()
  await mkdir(project.path('dir'))
  await writeFile(project.path('dir/x'), '')
  await expect(replaceFile(project.path('dir'), 'dir', 'x')).rejects.toThrow('dir is a folder.')
  expect(await readdir(project.root)).toEqual(['dir'])
  expect(await readFile(project.path('dir/x'), 'utf8')).toBe('')
})
