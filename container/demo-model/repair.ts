/** Computes the smallest change that makes a function give what its tests expect. */
import { OPERATOR_NAMES, tokensOf } from './arithmetic.ts'
import { constantsOf, functionNamed, valueOf } from './source.ts'
import type { Expression } from './source.ts'

export type Example = { args: number[]; expected: number }
export type TextEdit = { oldText: string; newText: string; line: number }
type Change = { at: number; length: number; text: string }

/** The edit that satisfies all examples; an operator is tried before a number. */
export function repairFunction(
  source: string,
  name: string,
  examples: Example[],
): TextEdit | undefined {
  const change = [...changes(source, name, examples)].find((candidate) => {
    const changed = applied(source, candidate)
    return examples.every(({ args, expected }) => close(valueOf(changed, name, args), expected))
  })
  return change === undefined ? undefined : asEdit(source, change)
}

/** For values that are no numbers: the one literal that printed as `actual` becomes `expected`. */
export function repairLiteral(
  source: string,
  actual: string,
  expected: string,
): TextEdit | undefined {
  const at = source.indexOf(actual)
  if (at === -1 || source.indexOf(actual, at + 1) !== -1) return undefined
  return asEdit(source, { at, length: actual.length, text: expected })
}

function* changes(source: string, name: string, examples: Example[]): Generator<Change> {
  const found = functionNamed(source, name)
  if (found === undefined) return
  const inside = [...found.steps.map((step) => step.value), found.result]
  for (const expression of inside) yield* operatorChanges(expression)
  const numbers = [...inside, ...constantsOf(source).map((constant) => constant.value)]
  for (const expression of numbers) yield* numberChanges(source, name, expression, examples)
}

function* operatorChanges(expression: Expression): Generator<Change> {
  for (const token of tokensOf(expression.text) ?? []) {
    if (!OPERATOR_NAMES.includes(token.text)) continue
    for (const text of OPERATOR_NAMES) yield { at: expression.at + token.at, length: 1, text }
  }
}

/** Solves for the number as if the function were linear in it; the caller checks the outcome. */
function* numberChanges(
  source: string,
  name: string,
  expression: Expression,
  examples: Example[],
): Generator<Change> {
  const [example] = examples
  if (example === undefined) return
  for (const token of tokensOf(expression.text) ?? []) {
    if (token.kind !== 'number') continue
    const at = expression.at + token.at
    const length = token.text.length
    const number = Number(token.text.replaceAll('_', ''))
    const probe = (value: number) =>
      valueOf(applied(source, { at, length, text: printed(value) }), name, example.args)
    const [here, there] = [probe(number), probe(number + 1)]
    if (here === undefined || there === undefined || here === there) continue
    const solved = number + (example.expected - here) / (there - here)
    yield { at, length, text: printed(solved) }
  }
}

function applied(source: string, change: Change): string {
  return source.slice(0, change.at) + change.text + source.slice(change.at + change.length)
}

function printed(value: number): string {
  return String(Math.round(value * 1e6) / 1e6)
}

function close(value: number | undefined, expected: number): boolean {
  return value !== undefined && Math.abs(value - expected) < 1e-9
}

/** Whole lines, as many before the changed one as make the old text unique in the file. */
function asEdit(source: string, change: Change): TextEdit {
  const lineStart = source.lastIndexOf('\n', change.at - 1) + 1
  const lineEnd = source.indexOf('\n', change.at + change.length)
  const end = lineEnd === -1 ? source.length : lineEnd
  let start = lineStart
  while (start > 0 && occurrences(source, source.slice(start, end)) > 1)
    start = source.lastIndexOf('\n', start - 2) + 1
  const changed = applied(source, change)
  return {
    oldText: source.slice(start, end),
    newText: changed.slice(start, end + changed.length - source.length),
    line: source.slice(0, change.at).split('\n').length,
  }
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1
}
