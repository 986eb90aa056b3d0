/** Reads what `node --test` printed, in its spec or its TAP form. */
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

export type Failure = {
  /** Absolute path of the test file, and the line of the assertion that failed. */
  file: string
  line: number
  /** As printed: a number, or a quoted string. */
  expected: string
  actual: string
}

export type Report = { passed: number; failed: number; failure: Failure | undefined }

/** `undefined` when the text is not a test report. */
export function readReport(output: string): Report | undefined {
  const text = stripVTControlCharacters(output)
  const passed = count(text, 'pass')
  const failed = count(text, 'fail')
  if (passed === undefined || failed === undefined) return undefined
  return { passed, failed, failure: failed > 0 ? firstFailure(text) : undefined }
}

function count(text: string, what: string): number | undefined {
  const found = new RegExp(String.raw`^\s*(?:#|ℹ) ${what} (\d+)\s*$`, 'm').exec(text)
  return found === null ? undefined : Number(found[1])
}

function firstFailure(text: string): Failure | undefined {
  const place = firstPlace(text)
  const expected = field(text, 'expected')
  const actual = field(text, 'actual')
  if (place === undefined || expected === undefined || actual === undefined) return undefined
  return { ...place, expected, actual }
}

function field(text: string, name: string): string | undefined {
  const found = new RegExp(String.raw`^\s*${name}: (.+?),?\s*$`, 'm').exec(text)
  return found?.[1]
}

/** The first absolute place in a file of the project; relative ones name the test's start. */
function firstPlace(text: string): { file: string; line: number } | undefined {
  const stack = /(?<=[\s('])((?:file:\/\/)?\/[^\s()']+\.[cm]?[jt]s):(\d+):\d+/g
  for (const [, where = '', line] of text.matchAll(stack)) {
    if (where.includes('/node_modules/')) continue
    const file = where.startsWith('file:') ? fileURLToPath(where) : where
    return { file, line: Number(line) }
  }
  return undefined
}
