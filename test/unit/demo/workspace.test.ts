import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { makeWorkspace } from '../../../src/demo/workspace.ts'
import { writeProject } from '../../support/demo-model/write-project.ts'

const DEMO = { source: 'src/a.js', files: { 'src/a.js': 'one\n', 'test/a.test.js': 'two\n' } }

test('The project is on disk, and belongs to the caller or, for root, to an ordinary user', async () => {
  await using cache = await writeProject({})
  const { project, secret, owner } = await makeWorkspace(cache.folder, DEMO)
  const uid = process.getuid?.() === 0 ? 1000 : process.getuid?.()
  expect(owner.uid).toBe(uid)
  expect((await stat(join(project, 'src/a.js'))).uid).toBe(uid)
  expect(await readFile(join(project, 'test/a.test.js'), 'utf8')).toBe('two\n')
  expect((await stat(secret)).mode & 0o777).toBe(0o700)
  expect(secret.startsWith(project)).toBe(false)
})

test('Folders of demos a day ago go, newer ones stay', async () => {
  await using cache = await writeProject({})
  const [old, young] = [join(cache.folder, 'demo/old'), join(cache.folder, 'demo/young')]
  await mkdir(old, { recursive: true })
  await mkdir(young)
  const before = new Date(Date.now() - 25 * 60 * 60 * 1000)
  await utimes(old, before, before)
  await makeWorkspace(cache.folder, DEMO)
  expect([existsSync(old), existsSync(young)]).toEqual([false, true])
})
