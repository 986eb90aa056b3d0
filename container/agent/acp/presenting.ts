/** A tool's own presentation as ACP tool call content. No tool is known here by name. */
import { stripVTControlCharacters } from 'node:util'

import type { ToolCallContent } from '@agentclientprotocol/sdk'

import type { Presentation } from '../tools/tool.ts'
import { hasHidden, visible } from '../visible.ts'
import type { ClientOffers } from './client-offers.ts'

/** Characters of both sides of a diff together; larger ones are shown as a short text. */
const DIFF_LIMIT = 1024 * 1024
const PREVIEW = 4_000

export const HIDDEN_WARNING =
  'Warning: there are hidden or bidirectional characters here; they are written out as \\u{…}.'

export function contentOf(
  pieces: Presentation[],
  callId: string,
  offers: ClientOffers,
): ToolCallContent[] {
  return pieces.flatMap((piece) => presented(piece, callId, offers))
}

function presented(piece: Presentation, callId: string, offers: ClientOffers): ToolCallContent[] {
  if (piece.type === 'text') return [textContent(plain(piece.text))]
  if (piece.type === 'diff') return diffContent(piece)
  if (offers.terminalCards) return [{ type: 'terminal', terminalId: callId }]
  const text = piece.output + (piece.outcome ?? '')
  return text === '' ? [] : [textContent(plain(text))]
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

/** The text without terminal codes, and with what is hidden written out. */
export function plain(text: string): string {
  return visible(stripVTControlCharacters(text).replaceAll('\r\n', '\n'))
}

function diffContent(diff: Extract<Presentation, { type: 'diff' }>): ToolCallContent[] {
  const { path, oldText, newText } = diff
  if ((oldText?.length ?? 0) + newText.length > DIFF_LIMIT)
    return [textContent(`${visible(newText.slice(0, PREVIEW))}\n… (too large for a diff)`)]
  const content: ToolCallContent = { type: 'diff', path, oldText: oldText ?? null, newText }
  return hasHidden(newText) ? [content, textContent(hiddenPreview(newText))] : [content]
}

/** The lines that hold something hidden: the client's diff view shows the text as it is. */
function hiddenPreview(text: string): string {
  const lines = text.split('\n').filter((line) => hasHidden(line.replace(/\r$/, '')))
  return lines.map(visible).join('\n').slice(0, PREVIEW)
}

/** Whether a question about these pieces needs the warning. */
export function needsWarning(title: string, pieces: Presentation[]): boolean {
  return [title, ...pieces.map(textOf)].some(hasHidden)
}

function textOf(piece: Presentation): string {
  if (piece.type === 'diff') return piece.newText
  return piece.type === 'text' ? piece.text : piece.output
}
