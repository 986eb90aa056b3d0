/** The demo's page, part by part. */
import type { Paint } from '../client/colour.ts'
import { columns } from '../client/columns.ts'
import { editorEntries } from '../client/editors.ts'
import type { EngineInfo } from '../docker/engine.ts'
import type { DecisionRow } from './decisions.ts'
import type { Workspace } from './workspace.ts'

export function introduction(
  { kind, version, uri, rootless }: EngineInfo,
  { project, owner }: Workspace,
  model: string,
  prompt: string,
): string {
  return columns([
    ['engine', `${kind} ${version}${rootless ? ', rootless' : ''} (${uri})`],
    ['project', `${project} (owner ${owner.uid}:${owner.gid})`],
    ['model', model],
    ['prompt', prompt],
  ])
}

export function heading(text: string, paint: Paint): string {
  return `\n${paint('name', `── ${text} ──`)}\n`
}

export function decisionTable(decisions: DecisionRow[]): string {
  const rows = decisions.map((row) => [row.verdict, row.what, row.reason, `${row.times}×`])
  return columns([['verdict', 'what', 'reason', 'times'], ...rows])
}

/** A line for each thing that was checked, with what was found. */
export function checkList(checks: { what: string; found?: string; ok: boolean }[], paint: Paint) {
  const marks = checks.map(({ ok }) => (ok ? paint('good', '✔') : paint('bad', '✖')))
  const lines = columns(checks.map(({ what, found = '' }) => [what, found])).split('\n')
  return marks.map((mark, index) => `${mark} ${lines[index] ?? ''}\n`).join('')
}

export function editorLines(words: string[], paint: Paint): string {
  return editorEntries(words)
    .map(({ editor, file, text }) => `${paint('name', `${editor} (${file})`)}\n${text}\n`)
    .join('\n')
}
