/** Checks an audit folder: every file, and that each still holds the record a later one names. */
import { join } from 'node:path'

import { auditFiles } from './files.ts'
import { linesOf } from './lines.ts'
import { AuditRecord } from './record.ts'
import { type FileReport, type Problem, verifyFile } from './verify.ts'

export type FolderReport = {
  files: FileReport[]
  /** Where the log begins when older files were taken away; undefined when it is whole. */
  begins_after?: string
}

/** Errors: those of reading the folder and its files. */
export async function verifyFolder(folder: string): Promise<FolderReport> {
  const names = auditFiles(folder)
  const wanted = await linksOf(folder, names)
  const files: FileReport[] = []
  for (const name of names) files.push(await verifyLinked(join(folder, name), wanted.get(name)))

  const report: FolderReport = { files }
  for (const [index, { prior, problems }] of files.entries()) {
    if (prior === undefined || names.includes(prior.file)) continue
    // Older than all that is here: the log was shortened from its beginning, as a clean-up does.
    if (names[0] !== undefined && prior.file < names[0]) report.begins_after = prior.file
    else problems.push(unlinked(`follows ${prior.file}, which is missing`, names[index]))
  }
  return report
}

/** For each file, the hashes that later files say it ended with, and which file says so. */
async function linksOf(folder: string, names: string[]): Promise<Map<string, Map<string, string>>> {
  const links = new Map<string, Map<string, string>>()
  for (const name of names) {
    const prior = await priorOf(join(folder, name))
    if (prior === undefined || /^0+$/.test(prior.hash)) continue
    const hashes = links.get(prior.file) ?? new Map<string, string>()
    links.set(prior.file, hashes.set(prior.hash, name))
  }
  return links
}

async function priorOf(path: string): Promise<AuditRecord['prior']> {
  for await (const { text } of linesOf(path)) {
    try {
      return AuditRecord.safeParse(JSON.parse(text)).data?.prior
    } catch {
      return undefined
    }
  }
  return undefined
}

async function verifyLinked(path: string, links = new Map<string, string>()): Promise<FileReport> {
  const open = new Map(links)
  const report = await verifyFile(path, (hash) => void open.delete(hash))
  for (const by of open.values()) {
    report.problems.push({
      line: report.records + 1,
      kind: 'missing',
      message: `The record that ${by} names as the last one then is missing: the file was cut off or replaced.`,
    })
  }
  return report
}

function unlinked(what: string, name = 'the file'): Problem {
  return { line: 1, kind: 'unlinked', message: `The first record of ${name} ${what}.` }
}
