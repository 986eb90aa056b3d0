import { readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MAX_LOG_FILE, MAX_LOG_FILES, createLog } from '../../src/log.ts'
import { Secret } from '../../src/secret.ts'
import { scratchFolder } from '../support/scratch.ts'

const NOW = new Date('2026-11-30T12:00:00.000Z')
const now = () => NOW

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('an event is one JSON line in the file of its day, for the user alone', async () => {
  await using scratch = await scratchFolder()
  const folder = join(scratch.path, 'log')
  createLog({ folder, now }).info('engine found', { kind: 'docker', key: new Secret('k') })
  const path = join(folder, '2026-11-30.jsonl')
  expect(linesOf(path)).toEqual([
    {
      time: NOW.toISOString(),
      level: 'info',
      event: 'engine found',
      pid: process.pid,
      kind: 'docker',
      key: '***',
    },
  ])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('levels below the chosen one are not written', async () => {
  await using scratch = await scratchFolder()
  const quiet = createLog({ folder: scratch.path, now })
  quiet.debug('no')
  quiet.warn('yes')
  createLog({ folder: scratch.path, now, level: 'debug' }).debug('yes')
  createLog({ folder: scratch.path, now, level: 'error' }).warn('no')
  const events = linesOf(join(scratch.path, '2026-11-30.jsonl')).map(({ event }) => event)
  expect(events).toEqual(['yes', 'yes'])
})

test('fields cannot replace the time, level or event', async () => {
  await using scratch = await scratchFolder()
  createLog({ folder: scratch.path, now }).error('real', { event: 'forged', level: 'info' })
  const [line] = linesOf(join(scratch.path, '2026-11-30.jsonl'))
  expect(line).toMatchObject({ event: 'real', level: 'error' })
})

test('stderr gets the line, too, when asked', async () => {
  await using scratch = await scratchFolder()
  const seen: string[] = []
  const stderr = { write: (text: string) => seen.push(text) }
  createLog({ folder: scratch.path, now, stderr }).info('hello')
  expect(seen).toEqual([readFileSync(join(scratch.path, '2026-11-30.jsonl'), 'utf8')])
})

test('a full file is put aside, and only the newest five stay', async () => {
  await using scratch = await scratchFolder()
  for (let day = 1; day <= 7; day++) {
    const path = join(scratch.path, `2026-10-0${day}.jsonl`)
    writeFileSync(path, 'old\n')
    utimesSync(path, day, day)
  }
  const path = join(scratch.path, '2026-11-30.jsonl')
  writeFileSync(path, 'x'.repeat(MAX_LOG_FILE))
  createLog({ folder: scratch.path, now }).info('fresh')
  expect(linesOf(path)).toMatchObject([{ event: 'fresh' }])
  const left = readdirSync(scratch.path).toSorted()
  expect(left).toHaveLength(MAX_LOG_FILES)
  expect(left.slice(0, 3)).toEqual([5, 6, 7].map((day) => `2026-10-0${day}.jsonl`))
  expect(left[3]).toMatch(/^2026-11-30\.\d+\.jsonl$/)
})

test('a log that cannot write says nothing and throws nothing', () => {
  const stderr = {
    write: () => {
      throw new Error('gone')
    },
  }
  const log = createLog({ folder: '/etc/passwd/log', stderr })
  expect(() => log.error('lost')).not.toThrow()
})
