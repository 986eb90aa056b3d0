/**
 * Starts Gemini CLI. It names a session's file by the minute, and a session that is loaded in the
 * minute it was made would be written over by its own load: files of earlier starts get another name.
 */
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/** `session-2026-12-01T09-30-0a1b2c3d.jsonl`; the id of the session begins with the last part. */
const FRESH = /^(session-\d{4}-\d\d-\d\dT\d\d-\d\d)-([0-9a-f]{8}\.jsonl)$/

const projects = join(process.env.GEMINI_CLI_HOME ?? process.env.HOME ?? '', '.gemini', 'tmp')
for (const project of entries(projects)) keepSessions(join(projects, project, 'chats'))

process.argv[1] = '/opt/agent/node_modules/@google/gemini-cli/bundle/gemini.js'
await import(process.argv[1])

function keepSessions(folder) {
  for (const name of entries(folder)) {
    const [, start, end] = FRESH.exec(name) ?? []
    if (start === undefined) continue
    let number = 1
    while (existsSync(join(folder, `${start}-kept${number}-${end}`))) number += 1
    renameSync(join(folder, name), join(folder, `${start}-kept${number}-${end}`))
  }
}

function entries(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
