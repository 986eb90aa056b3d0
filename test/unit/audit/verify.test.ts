import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { type FileReport, verifyFile } from '../../../src/audit/verify.ts'
import { openAudit } from '../../../src/audit/writer.ts'
import { scratchFolder } from '../../support/scratch.ts'

/** A file's lines after `count` records. */
async function written(folder: string, count: number, launcher = 'boot/1/2/3') {
  using audit = openAudit(folder, launcher)
  for (let i = 1; i < count; i++) audit.record('egress.decision', { host: `h${i}.test`, ü: '€' })
  return { file: audit.file, lines: readFileSync(audit.file, 'utf8').split('\n').slice(0, -1) }
}

async function verifyText(folder: string, text: string | Buffer): Promise<FileReport> {
  const path = join(folder, 'spoiled.jsonl')
  writeFileSync(path, text)
  return verifyFile(path)
}

const kinds = (report: FileReport) => report.problems.map(({ kind, line }) => `${kind} ${line}`)

test('a thousand records are appended and verified', async () => {
  await using scratch = await scratchFolder()
  const { file } = await written(scratch.path, 1_000)
  const report = await verifyFile(file)
  expect(report).toMatchObject({ records: 1_000, problems: [] })
  expect(report.torn).toBeUndefined()
})

test('a record taken out, exchanged or put in twice is named with its line', async () => {
  await using scratch = await scratchFolder()
  const { lines } = await written(scratch.path, 6)
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = lines
  const check = async (...rest: string[]) =>
    kinds(await verifyText(scratch.path, rest.map((line) => `${line}\n`).join('')))

  expect(await check(a, b, d, e, f)).toEqual(['missing 3'])
  expect(await check(a, b, e, f)).toEqual(['missing 3'])
  expect(await check(b, c, d, e, f)).toEqual(['missing 1'])
  expect(await check(a, c, b, d, e, f)).toEqual(['missing 2', 'reordered 3', 'missing 4'])
  expect(await check(a, b, b, c, d, e, f)).toEqual(['reordered 3'])
  expect(await check(a, b, c.slice(0, 50), d, e, f)).toEqual(['changed 3'])
  expect(await check(a, b, '', c, d, e, f)).toEqual(['changed 3', 'reordered 4'])
  expect(await check(a, b, c.replace('h2.test', 'h9.test'), d, e, f)).toEqual(['changed 3'])
})

test('a record of another log with the right number is found', async () => {
  await using one = await scratchFolder()
  await using other = await scratchFolder()
  const { lines } = await written(one.path, 4)
  const foreign = (await written(other.path, 4, 'boot/1/2/4')).lines
  const mixed = [...lines.slice(0, 2), ...foreign.slice(2, 3), ...lines.slice(3)]
  const report = await verifyText(one.path, `${mixed.join('\n')}\n`)
  expect(kinds(report)).toEqual(['changed 3', 'changed 4'])
})

test('a last line cut anywhere is torn and no tampering', async () => {
  await using scratch = await scratchFolder()
  const { file } = await written(scratch.path, 3)
  const bytes = readFileSync(file)
  const start = bytes.subarray(0, -1).lastIndexOf(10) + 1
  for (let end = start + 1; end < bytes.length; end++) {
    const report = await verifyText(scratch.path, bytes.subarray(0, end))
    expect(report).toMatchObject({
      records: 2,
      problems: [],
      torn: { line: 3, bytes: expect.any(Number) },
    })
  }
})

test('a torn-looking line that is not the next record counts as changed', async () => {
  await using scratch = await scratchFolder()
  const { lines } = await written(scratch.path, 3)
  const [a = '', b = '', c = ''] = lines
  for (const tail of ['garbage', c.replace('h2.test', 'hX.test'), b.slice(0, 40), `${c}x`]) {
    const report = await verifyText(scratch.path, `${a}\n${b}\n${tail}`)
    expect(kinds(report)).toEqual(['changed 3'])
  }
})

test('any flipped bit of any byte is found', async () => {
  await using scratch = await scratchFolder()
  const { file } = await written(scratch.path, 8)
  const bytes = readFileSync(file)
  for (let round = 0; round < 300; round++) {
    const at = Math.floor(Math.random() * bytes.length)
    const bit = 1 << Math.floor(Math.random() * 8)
    const spoiled = Buffer.from(bytes)
    spoiled[at] = (spoiled[at] ?? 0) ^ bit
    const report = await verifyText(scratch.path, spoiled)
    expect(report.problems.length, `bit ${bit} of byte ${at}`).toBeGreaterThan(0)
  }
})
