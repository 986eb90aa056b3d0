/** Exact replacements in a text. */
import { ToolFailure } from './tool.ts'

export type TextEdit = { oldText: string; newText: string; everywhere: boolean }

export type Edited = {
  text: string
  /** Where the first change is, counted from 1. */
  line: number
}

/**
 * Applies the edits one after the other; a file with CR LF keeps its line ends.
 * @throws ToolFailure that says which edit does not fit and why.
 */
export function applyEdits(original: string, edits: TextEdit[], shown: string): Edited {
  let text = original
  let first = Number.POSITIVE_INFINITY
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? '' : ` (edit ${index + 1} of ${edits.length})`
    const fitted = fitLineEnds(edit, text)
    const at = placeOf(text, fitted, `${shown}${which}`)
    first = Math.min(first, at)
    text = fitted.everywhere
      ? text.replaceAll(fitted.oldText, () => fitted.newText)
      : text.slice(0, at) + fitted.newText + text.slice(at + fitted.oldText.length)
  }
  if (text === original) throw new ToolFailure(`The edit leaves ${shown} as it is.`)
  return { text, line: lineAt(original, first) }
}

function placeOf(text: string, edit: TextEdit, where: string): number {
  if (edit.oldText === '') throw new ToolFailure(`The old text for ${where} is empty.`)
  const at = text.indexOf(edit.oldText)
  if (at === -1)
    throw new ToolFailure(
      `The old text is not in ${where}. It must match exactly, white space included; read the file again.`,
    )
  const times = edit.everywhere ? 1 : text.split(edit.oldText).length - 1
  if (times > 1)
    throw new ToolFailure(
      `The old text is ${times} times in ${where}. Give more lines around it, or set replace_all.`,
    )
  return at
}

function fitLineEnds(edit: TextEdit, text: string): TextEdit {
  if (text.includes(edit.oldText) || !text.includes('\r\n')) return edit
  return { ...edit, oldText: withCrlf(edit.oldText), newText: withCrlf(edit.newText) }
}

function withCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n')
}

function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line++
  return line
}
