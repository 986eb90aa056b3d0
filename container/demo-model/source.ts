/** Understands a tiny module: number constants, and functions that compute one value from them. */
import { evaluate } from './arithmetic.ts'

/** An expression of the module and where it starts in its text. */
export type Expression = { text: string; at: number }
type Binding = { name: string; value: Expression }

/** A function as a list of `const` steps and the value it returns. */
export type SmallFunction = { params: string[]; steps: Binding[]; result: Expression }

/**
 * The file's own text from what a read tool returned: line numbers in front of the lines, as several
 * agents show them, are taken off, with whatever stands around the numbered lines.
 */
export function plainText(shown: string): string {
  const lines = shown.split('\n')
  const numbered = lines.map((line) => /^\s*\d+(?:\t|→|\| ?|: )(.*)$/.exec(line)?.[1])
  const kept = numbered.filter((line) => line !== undefined)
  const filled = lines.filter((line) => line.trim() !== '').length
  return kept.length * 2 > filled ? kept.join('\n') : shown
}

/** The module's constants that are a plain number. */
export function constantsOf(source: string): Binding[] {
  return bindings(source, 0, /^(?:export )?const (\w+) = (.+?);?$/gm)
}

/** `undefined` when there is no such function or it is more than constants and one value. */
export function functionNamed(source: string, name: string): SmallFunction | undefined {
  const head = new RegExp(
    String.raw`^(?:export )?(?:function ${name}\(([^)]*)\) \{\n|const ${name} = \(([^)]*)\) => (?!\{))`,
    'm',
  ).exec(source)
  if (head === null) return undefined
  const start = head.index + head[0].length
  const params = (head[1] ?? head[2] ?? '').split(',').map((param) => param.trim())
  const end = source.indexOf(head[1] === undefined ? '\n' : '\n}', start)
  const body = source.slice(start, end === -1 ? undefined : end)
  if (head[1] === undefined) return { params, steps: [], result: { text: body, at: start } }
  return functionBody(params, body, start)
}

function functionBody(params: string[], body: string, start: number): SmallFunction | undefined {
  const steps = bindings(body, start, /^\s+const (\w+) = (.+?);?$/gm)
  const returned = /^\s+return (.+?);?$/m.exec(body)
  const statements = body.split('\n').filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length
  if (returned?.[1] === undefined || statements !== steps.length + 1) return undefined
  const at =
    start + returned.index + returned[0].indexOf(returned[1], returned[0].indexOf('return') + 7)
  return { params, steps, result: { text: returned[1], at } }
}

/** What the function gives for these arguments; `undefined` when that cannot be told. */
export function valueOf(source: string, name: string, args: number[]): number | undefined {
  const found = functionNamed(source, name)
  if (found === undefined) return undefined
  const scope = new Map<string, number>()
  found.params.forEach((param, index) => {
    const value = args[index]
    if (value !== undefined) scope.set(param, value)
  })
  for (const { name: binding, value } of [...constantsOf(source), ...found.steps]) {
    const computed = evaluate(value.text, scope)
    if (computed !== undefined) scope.set(binding, computed)
  }
  return evaluate(found.result.text, scope)
}

function bindings(text: string, offset: number, pattern: RegExp): Binding[] {
  return [...text.matchAll(pattern)].flatMap((found) => {
    const [whole, name, value] = found
    if (name === undefined || value === undefined) return []
    const at = offset + found.index + whole.indexOf(value, whole.indexOf('=') + 1)
    return [{ name, value: { text: value, at } }]
  })
}
