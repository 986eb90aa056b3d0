import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { verifyFolder } from '../../../src/audit/verify-folder.ts'
import { openAudit } from '../../../src/audit/writer.ts'
import { scratchFolder } from '../../support/scratch.ts'

/** Files of three launchers, one after the other, with three records each. */
async function threeFiles(folder: string): Promise<string[]> {
  for (const launcher of ['one', 'two', 'three']) {
    using audit = openAudit(folder, launcher)
    audit.record('session.open')
    audit.record('session.close')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return readdirSync(folder).toSorted()
}

const problems = async (folder: string) =>
  (await verifyFolder(folder)).files.flatMap((file) => file.problems.map(({ kind }) => kind))

test('files that follow each other are whole', async () => {
  await using scratch = await scratchFolder()
  await threeFiles(scratch.path)
  const report = await verifyFolder(scratch.path)
  expect(report.files.map(({ records, problems: found }) => [records, found])).toEqual([
    [3, []],
    [3, []],
    [3, []],
  ])
  expect(report.begins_after).toBeUndefined()
})

test('a launcher that wrote on while a later one began is whole, too', async () => {
  await using scratch = await scratchFolder()
  using first = openAudit(scratch.path, 'one')
  await new Promise((resolve) => setTimeout(resolve, 2))
  using second = openAudit(scratch.path, 'two')
  first.record('cancel')
  second.record('cancel')
  expect(await problems(scratch.path)).toEqual([])
})

test('a file whose last records were cut off is found by the one after it', async () => {
  await using scratch = await scratchFolder()
  const [, second = ''] = await threeFiles(scratch.path)
  const path = join(scratch.path, second)
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, 2).join('\n')}\n`)
  expect(await problems(scratch.path)).toEqual(['missing'])
})

test('a file taken out of the middle is found', async () => {
  await using scratch = await scratchFolder()
  const [, second = ''] = await threeFiles(scratch.path)
  rmSync(join(scratch.path, second))
  expect(await problems(scratch.path)).toEqual(['unlinked'])
})

test('a log whose oldest files were cleared away says where it begins', async () => {
  await using scratch = await scratchFolder()
  const [first = ''] = await threeFiles(scratch.path)
  rmSync(join(scratch.path, first))
  const report = await verifyFolder(scratch.path)
  expect(report.begins_after).toBe(first)
  expect(report.files.flatMap((file) => file.problems)).toEqual([])
})
