import { appendFileSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { GENESIS } from '../../../src/audit/chain.ts'
import { AuditRecord } from '../../../src/audit/record.ts'
import { openAudit } from '../../../src/audit/writer.ts'
import { GloveboxError } from '../../../src/errors.ts'
import { rememberSecret } from '../../../src/redact.ts'
import { Secret } from '../../../src/secret.ts'
import { scratchFolder } from '../../support/scratch.ts'

const LAUNCHER = 'boot/4026531836/77/12345'

const recordsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => AuditRecord.parse(JSON.parse(line)))

test('records are numbered, timed and chained, with the fields they were given', async () => {
  await using scratch = await scratchFolder()
  using audit = openAudit(scratch.path, LAUNCHER, { version: '1.2.3' })
  audit.record('container.start', { session: 's', turn: '', container: 'c', missing: undefined })
  audit.record('egress.decision', { session: 's', turn: '1', host: 'a.test', usage: { n: 1 } })
  const [open, start, decision] = recordsIn(audit.file)
  const common = { v: 1, launcher: LAUNCHER, time: expect.any(String), hash: expect.any(String) }
  expect(open).toEqual({ ...common, seq: 1, type: 'open', version: '1.2.3', prev: GENESIS })
  expect(start).toEqual({
    ...common,
    seq: 2,
    type: 'container.start',
    session: 's',
    container: 'c',
    prev: open?.hash,
  })
  expect(decision).toMatchObject({ seq: 3, turn: '1', host: 'a.test', prev: start?.hash })
  expect(decision?.['usage']).toEqual({ n: 1 })
})

test('the folder and the file are for the user alone', async () => {
  await using scratch = await scratchFolder()
  const folder = join(scratch.path, 'state', 'audit')
  using audit = openAudit(folder, LAUNCHER)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(audit.file).mode & 0o777).toBe(0o600)
})

test('each launcher has its own file, and its first record names the newest other one', async () => {
  await using scratch = await scratchFolder()
  using first = openAudit(scratch.path, 'one')
  first.record('cancel')
  const head = recordsIn(first.file).at(-1)?.hash
  using second = openAudit(scratch.path, 'two')
  expect(readdirSync(scratch.path)).toHaveLength(2)
  const [open] = recordsIn(second.file)
  expect(open?.prior).toEqual({ file: first.file.split('/').at(-1), hash: head })
  expect(open?.prev).toBe(head)
})

test('a torn last line of the file before is passed over', async () => {
  await using scratch = await scratchFolder()
  using first = openAudit(scratch.path, 'one')
  const head = recordsIn(first.file).at(-1)?.hash
  appendFileSync(first.file, '{"v":1,"seq":2,"ti')
  using second = openAudit(scratch.path, 'two')
  expect(recordsIn(second.file)[0]?.prior?.hash).toBe(head)
})

test('secrets are struck out, by type and by value, wherever they stand', async () => {
  await using scratch = await scratchFolder()
  using audit = openAudit(scratch.path, LAUNCHER)
  const secret = rememberSecret(new Secret('sk-canary-0123456789'))
  const spelled = `Bearer ${secret.reveal()}`
  audit.record('error', { secret, message: spelled, deep: [{ [spelled]: spelled }] })
  const text = readFileSync(audit.file, 'utf8')
  expect(text).not.toContain('canary')
  expect(text).toContain('"message":"Bearer ***"')
})

test('long texts are cut, and a record that is still too long keeps who and when', async () => {
  await using scratch = await scratchFolder()
  using audit = openAudit(scratch.path, LAUNCHER)
  audit.record('tool_call', { title: 'x'.repeat(10_000) })
  const many = Object.fromEntries(
    Array.from({ length: 90 }, (_, i) => [`k${i}`, 'x'.repeat(2_000)]),
  )
  audit.record('tool_call', { session: 's', turn: '4', ...many })
  const [, cut, stripped] = recordsIn(audit.file)
  expect(cut?.['title']).toBe(`${'x'.repeat(2_048)}… (7952 more)`)
  expect(stripped).toMatchObject({ session: 's', turn: '4', cut_bytes: expect.any(Number) })
  expect(stripped).not.toHaveProperty('k0')
})

test('data cannot pass itself off as what only the writer knows', async () => {
  await using scratch = await scratchFolder()
  using audit = openAudit(scratch.path, LAUNCHER)
  const forged = { seq: 9, v: 9, time: '1970', launcher: 'me', type: 'open', prev: 'p', hash: 'h' }
  audit.record('refusal', forged)
  expect(recordsIn(audit.file)[1]).toMatchObject({ seq: 2, type: 'refusal', launcher: LAUNCHER })
})

const failed = (message: string) =>
  expect.objectContaining({ code: 'audit_failed', message: expect.stringContaining(message) })

test('a log that cannot be begun is an error', () => {
  expect(() => openAudit('/etc/passwd/audit', LAUNCHER)).toThrow(failed('ENOTDIR'))
})

test.for([
  ['was removed', (file: string) => rmSync(file), 'the file was removed'],
  [
    'was written to by others',
    (file: string) => appendFileSync(file, '\n'),
    'something else wrote to the file',
  ],
] as const)('once the file %s every record is an error', async ([, spoil, message]) => {
  await using scratch = await scratchFolder()
  using audit = openAudit(scratch.path, LAUNCHER)
  spoil(audit.file)
  expect(() => audit.record('cancel')).toThrow(failed(message))
  expect(() => audit.record('cancel')).toThrow(failed('an earlier record'))
})

test('a closed log takes no record', async () => {
  await using scratch = await scratchFolder()
  const audit = openAudit(scratch.path, LAUNCHER)
  audit[Symbol.dispose]()
  audit[Symbol.dispose]()
  expect(() => audit.record('cancel')).toThrow(GloveboxError)
})
