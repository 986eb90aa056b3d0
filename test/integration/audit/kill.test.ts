import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, test } from 'vitest'

import { verifyFolder } from '../../../src/audit/verify-folder.ts'
import { scratchFolder } from '../../support/scratch.ts'

const WRITER = new URL('../../../src/audit/writer.ts', import.meta.url).href

/** Prints the number of each record once `record` returned. */
const script = (folder: string) => `
  import { writeSync } from 'node:fs'
  import { openAudit } from '${WRITER}'
  const audit = openAudit(${JSON.stringify(folder)}, 'launcher')
  for (let i = 2; ; i++) {
    audit.record('egress.decision', { host: 'h.test' })
    writeSync(1, i + '\\n')
  }
`

test('kill -9 loses no record that was written, and breaks nothing', async () => {
  await using scratch = await scratchFolder()
  const args = ['--input-type=module-typescript', '-e', script(scratch.path)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    if (printed.length > 2_000) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  const acknowledged = Number(printed.trimEnd().split('\n').slice(0, -1).at(-1))
  const [report] = (await verifyFolder(scratch.path)).files
  expect(report?.problems).toEqual([])
  expect(report?.records).toBeGreaterThanOrEqual(acknowledged)
})
