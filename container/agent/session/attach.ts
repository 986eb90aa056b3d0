/** Puts the files a prompt points at into it, by the same judgement as a tool that reads. */
import { stat } from 'node:fs/promises'

import type { UserPart } from '../model/model.ts'
import { decide } from '../permission/decide.ts'
import type { Rules } from '../permission/decide.ts'
import { resolvePath } from '../tools/place.ts'
import type { Place, ResolvedPath } from '../tools/place.ts'
import { readTextIfThere } from '../tools/read-text.ts'
import { ToolFailure } from '../tools/tool.ts'

/** A prompt as the client sent it: links to files are not followed yet. */
export type PromptPiece = UserPart | { type: 'file'; path: string; name: string; uri: string }

export type Attached = {
  parts: UserPart[]
  /** What the user has to be told. */
  notices: string[]
}

/** Characters of one attached file. */
const LIMIT = 200_000

export async function attachFiles(
  pieces: PromptPiece[],
  place: Place,
  rules: Rules,
): Promise<Attached> {
  const attached: Attached = { parts: [], notices: [] }
  for (const piece of pieces) {
    if (piece.type === 'file') await attachLink(piece, place, rules, attached)
    else attached.parts.push(piece)
    if (piece.type === 'text') await attachMentions(piece.text, place, rules, attached)
  }
  return attached
}

async function attachLink(
  link: Extract<PromptPiece, { type: 'file' }>,
  place: Place,
  rules: Rules,
  attached: Attached,
): Promise<void> {
  const target = await resolvePath(place, link.path)
  if (isInside(target, place) && (await attachFile(target, place, rules, attached))) return
  attached.parts.push({ type: 'text', text: `${link.name} (${link.uri})` })
}

/** `@path` names a file when there is one; else it is just text, such as a user's name. */
async function attachMentions(
  text: string,
  place: Place,
  rules: Rules,
  attached: Attached,
): Promise<void> {
  const names = [...text.matchAll(/(?<=^|\s)@([^\s@]+)/g)].map((match) => match[1] ?? '')
  for (const name of new Set(names)) {
    const target = await resolvePath(place, name.replace(/[.,;:!?)]+$/, ''))
    if (isInside(target, place)) await attachFile(target, place, rules, attached)
  }
}

function isInside(target: ResolvedPath, place: Place): boolean {
  return target.real.startsWith(`${place.realRoot}/`)
}

/** Whether there was such a file to attach, or to be told about. */
async function attachFile(
  target: ResolvedPath,
  place: Place,
  rules: Rules,
  attached: Attached,
): Promise<boolean> {
  const isFile = await stat(target.real).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) return false
  const need = { access: 'read' as const, path: target.real }
  const subject = { tool: 'read_file', need, realRoot: place.realRoot }
  const judgement = decide(subject, 'plan', rules)
  if (judgement.outcome === 'deny') {
    attached.notices.push(`${target.shown} was not attached: ${judgement.reason}.`)
    return true
  }
  try {
    const text = (await readTextIfThere(target.real, target.shown)) ?? ''
    await place.versions.note(target.real)
    attached.parts.push({ type: 'text', text: labelledBlock(target.shown, text.slice(0, LIMIT)) })
    if (text.length > LIMIT)
      attached.notices.push(`Only the beginning of ${target.shown} was attached.`)
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    attached.notices.push(`${target.shown} was not attached: ${error.message}`)
  }
  return true
}

/** A fence that is longer than any in the text cannot be closed by it. */
export function labelledBlock(label: string, text: string): string {
  const runs = text.match(/`+/g) ?? []
  const longest = Math.max(2, ...runs.map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${JSON.stringify(label)}:\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}
