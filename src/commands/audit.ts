/** `glovebox audit verify`: says whether the audit log is as it was written. */
import { statSync } from 'node:fs'

import { verifyFolder, type FolderReport } from '../audit/verify-folder.ts'
import { verifyFile, type FileReport } from '../audit/verify.ts'
import { EXIT, GloveboxError, sentenceOf } from '../errors.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox audit verify [FILE|FOLDER] [--json]'

/** Returns 0 when all is as written, 1 when not, 66 when there is no log. Errors: `usage`. */
export async function auditCommand(argv: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArguments(USAGE, argv, { json: { type: 'boolean' } }, 2)
  const [verb, where = statePaths(io.env).audit] = positionals
  if (verb !== 'verify') {
    throw new GloveboxError('usage', 'audit needs the word verify.', `Usage: ${USAGE}`)
  }
  const report = await read(where)
  if (typeof report === 'string') {
    io.stderr.write(`glovebox: ${report}\n`)
    return EXIT.noInput
  }
  const ok = report.files.every(({ problems }) => problems.length === 0)
  const text = values['json'] === true ? JSON.stringify({ ok, ...report }, null, 2) : render(report)
  io.stdout.write(`${text}\n`)
  return ok ? EXIT.ok : EXIT.failed
}

/** The report, or a sentence that says why there is none. */
async function read(where: string): Promise<FolderReport | string> {
  try {
    const folder = statSync(where).isDirectory()
    const report = folder ? await verifyFolder(where) : { files: [await verifyFile(where)] }
    return report.files.length === 0 ? `There is no audit file in ${where}.` : report
  } catch (error) {
    return `There is no audit log to read at ${where}: ${sentenceOf(error)}.`
  }
}

function render({ files, begins_after }: FolderReport): string {
  const broken = files.filter(({ problems }) => problems.length > 0).length
  const records = files.reduce((sum, file) => sum + file.records, 0)
  const total = `${count(records, 'record')} in ${count(files.length, 'file')}`
  return [
    ...files.map(renderFile),
    ...(begins_after === undefined
      ? []
      : [`The log begins after ${begins_after}, which is not here.`]),
    broken === 0
      ? `The log is as it was written: ${total}.`
      : `${count(broken, 'file')} BROKEN of ${total}.`,
  ].join('\n')
}

function renderFile({ path, records, problems, torn }: FileReport): string {
  const state = problems.length === 0 ? 'ok' : 'BROKEN'
  return [
    `${state.padEnd(7)}${path} (${count(records, 'record')})`,
    ...problems.map(({ message }) => `       ${message}`),
    ...(torn === undefined
      ? []
      : [
          `       Line ${torn.line} was not written to its end (${torn.bytes} bytes): no sign of tampering.`,
        ]),
  ].join('\n')
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`
