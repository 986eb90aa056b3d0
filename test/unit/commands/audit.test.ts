import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'

import { expect, test } from 'vitest'

import { openAudit } from '../../../src/audit/writer.ts'
import { auditCommand } from '../../../src/commands/audit.ts'
import { scratchFolder } from '../../support/scratch.ts'

const read = (stream: PassThrough) => String(stream.read() ?? '')

async function run(argv: string[], state: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const env = { XDG_STATE_HOME: state }
  const code = await auditCommand(argv, { env, stdin: new PassThrough(), stdout, stderr })
  return { code, stdout: read(stdout), stderr: read(stderr) }
}

/** One file with two records in the default place. */
function oneFile(state: string): string {
  using audit = openAudit(join(state, 'glovebox', 'audit'), 'launcher')
  audit.record('cancel', { session: 's' })
  return audit.file
}

test('a log as it was written ends 0 and says how much it holds', async () => {
  await using state = await scratchFolder()
  const file = oneFile(state.path)
  expect(await run(['verify'], state.path)).toEqual({
    code: 0,
    stdout: `ok     ${file} (2 records)\nThe log is as it was written: 2 records in 1 file.\n`,
    stderr: '',
  })
})

test('a broken log ends 1 and names the file and the line', async () => {
  await using state = await scratchFolder()
  const file = oneFile(state.path)
  writeFileSync(file, readFileSync(file, 'utf8').replace('cancel', 'Cancel'))
  const { code, stdout } = await run(['verify', file], state.path)
  expect(code).toBe(1)
  expect(stdout).toContain(`BROKEN ${file} (1 record)`)
  expect(stdout).toContain('Line 2 is no record, or was changed after it was written.')
  expect(stdout).toContain('1 file BROKEN')
})

test('a torn last line ends 0 and is told', async () => {
  await using state = await scratchFolder()
  const file = oneFile(state.path)
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20))
  const { code, stdout } = await run(['verify'], state.path)
  expect(code).toBe(0)
  expect(stdout).toContain('Line 2 was not written to its end')
})

test('--json prints the whole report', async () => {
  await using state = await scratchFolder()
  const file = oneFile(state.path)
  const { code, stdout } = await run(['verify', '--json'], state.path)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    files: [{ path: file, records: 2, problems: [], head: expect.any(String) }],
  })
})

test('no log at all ends 66 with a sentence', async () => {
  await using state = await scratchFolder()
  const missing = await run(['verify'], state.path)
  expect(missing).toMatchObject({ code: 66, stdout: '' })
  expect(missing.stderr).toContain(`no audit log to read at ${state.path}/glovebox/audit`)
  const empty = await run(['verify', state.path], state.path)
  expect(empty).toMatchObject({ code: 66, stderr: expect.stringContaining('no audit file in') })
})

test.for([[], ['check'], ['verify', 'a', 'b'], ['verify', '--nope']])(
  'the arguments %j are told how audit is used',
  async (argv) => {
    await expect(run(argv, '/nonexistent')).rejects.toMatchObject({
      code: 'usage',
      fix: 'Usage: glovebox audit verify [FILE|FOLDER] [--json]',
    })
  },
)
