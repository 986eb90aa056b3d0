/** Generators of JSON as text: what a reader that parses and writes anew would not keep. */
import * as fc from 'fast-check'

const space = fc.constantFrom('', '', ' ', '\t', '  ')

/** Spellings that change when read as a double and written again. */
const number = fc.constantFrom(
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '1.0',
  '-0',
  '1E2',
  '1e400',
  '1e-400',
  '0.10',
  '3',
)

/** Escapes that have another spelling, lone surrogates, and characters of 1 to 4 bytes. */
const piece = fc.constantFrom(
  'a',
  ' ',
  'é',
  'ſ',
  '\u2028',
  '漢',
  '𝒳',
  '🧤',
  '\ufeff',
  '\u202e',
  '{',
  ']',
  ',',
  ':',
  '\\ud800',
  '\\uDC00',
  '\\u0000',
  '\\u0061',
  '\\/',
  '\\"',
  '\\\\',
  '\\n',
  '\\ud83e\\udde4',
)
const string = fc.array(piece, { maxLength: 12 }).map((parts) => `"${parts.join('')}"`)

/** No key of it decides where a message goes; each may be there twice. */
const key = fc.oneof(
  fc.constantFrom('"_meta"', '"_new"', '"__proto__"', '"constructor"', '"0"', '"z"', '"z"', '""'),
  string.map((text) => `"z${text.slice(1)}`),
)

function listed(open: string, parts: readonly string[], close: string, gap: string): string {
  return `${open}${gap}${parts.join(`${gap},${gap}`)}${gap}${close}`
}

const { value } = fc.letrec<{ value: string }>((tie) => {
  const array = fc.tuple(fc.array(tie('value'), { maxLength: 4 }), space)
  const member = fc
    .tuple(key, space, tie('value'))
    .map(([name, gap, one]) => `${name}${gap}:${one}`)
  const object = fc.tuple(fc.array(member, { maxLength: 5 }), space)
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      number,
      string,
      fc.constantFrom('true', 'false', 'null'),
      array.map(([parts, gap]) => listed('[', parts, ']', gap)),
      object.map(([parts, gap]) => listed('{', parts, '}', gap)),
    ),
  }
})

/** Members that nobody knows, as text. */
const unknown = fc.array(
  fc.tuple(key, value).map(([name, one]) => `${name}:${one}`),
  { maxLength: 5 },
)

/**
 * An object with the given members, as text, among unknown ones; the order, the space between them
 * and the unknown ones vary.
 */
export function objectWith(...known: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.tuple(...known), unknown, space)
    .chain(([given, others, gap]) =>
      fc
        .shuffledSubarray([...given, ...others], { minLength: given.length + others.length })
        .map((members) => listed('{', members, '}', gap)),
    )
}

export { value as jsonText }
