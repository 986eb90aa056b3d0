/** The single commands in a shell command line, for judging each by itself. */

export type CommandParts = {
  parts: string[]
  /** False when the line holds what this reader does not follow: only the whole line counts then. */
  certain: boolean
}

// Reserved words open constructs whose parts are not commands one by one (POSIX shell, 2.4).
const RESERVED =
  /^(if|then|elif|else|fi|for|while|until|do|done|case|esac|function|select|time|!|\{|\})(\s|$)/

/** Splits at `&&`, `||`, `;`, `|`, `&` and line ends, and looks into `$(…)`, backquotes and `(…)`. */
export function commandParts(command: string): CommandParts {
  const reader: Reader = { text: command, at: 0, parts: [], certain: true }
  readUntil(reader, '')
  if (reader.at < command.length) reader.certain = false
  const parts = reader.parts.map((part) => part.trim()).filter((part) => part !== '')
  const certain = reader.certain && !parts.some((part) => RESERVED.test(part))
  return { parts, certain }
}

type Reader = { text: string; at: number; parts: string[]; certain: boolean }

/** Reads commands up to the closing character, or to the end when that is empty. */
function readUntil(reader: Reader, close: string): void {
  let part = ''
  const finish = () => {
    reader.parts.push(part)
    part = ''
  }
  while (reader.at < reader.text.length) {
    const rest = reader.text.slice(reader.at, reader.at + 2)
    const character = rest.charAt(0)
    if (character === close) break
    if (';|&\n'.includes(character) && !isRedirection(reader)) {
      finish()
      reader.at += 1
    } else if (character === '(') {
      finish()
      readNested(reader, 1, ')')
    } else part += readPiece(reader, rest)
  }
  finish()
}

/** `2>&1` and `&>file` hold an ampersand that ends nothing. */
function isRedirection(reader: Reader): boolean {
  if (reader.text[reader.at] !== '&') return false
  return reader.text[reader.at - 1] === '>' || reader.text[reader.at + 1] === '>'
}

function readPiece(reader: Reader, rest: string): string {
  const start = reader.at
  const character = rest.charAt(0)
  if (rest === '$(' || rest === '<(' || rest === '>(') readNested(reader, 2, ')')
  else if (character === '`') readNested(reader, 1, '`')
  else if (character === "'") skipSingleQuoted(reader)
  else if (character === '"') readDoubleQuoted(reader)
  else if (character === '\\') reader.at += 2
  else {
    if (isUnclear(reader, rest)) reader.certain = false
    reader.at += 1
  }
  return reader.text.slice(start, reader.at)
}

function isUnclear(reader: Reader, rest: string): boolean {
  const character = rest.charAt(0)
  if (character === '>') return !writesNothing(reader)
  return character === '#' || character === ')' || rest === '<<'
}

function writesNothing(reader: Reader): boolean {
  return /^>{1,2}\s*(&\d|\/dev\/null\b)/.test(reader.text.slice(reader.at, reader.at + 24))
}

function readNested(reader: Reader, opening: number, close: string): void {
  reader.at += opening
  readUntil(reader, close)
  if (reader.text[reader.at] !== close) reader.certain = false
  reader.at += 1
}

function skipSingleQuoted(reader: Reader): void {
  const end = reader.text.indexOf("'", reader.at + 1)
  if (end === -1) reader.certain = false
  reader.at = end === -1 ? reader.text.length : end + 1
}

function readDoubleQuoted(reader: Reader): void {
  reader.at += 1
  while (reader.at < reader.text.length) {
    const rest = reader.text.slice(reader.at, reader.at + 2)
    if (rest.startsWith('"')) {
      reader.at += 1
      return
    }
    if (rest === '$(') readNested(reader, 2, ')')
    else if (rest.startsWith('`')) readNested(reader, 1, '`')
    else reader.at += rest.startsWith('\\') ? 2 : 1
  }
  reader.certain = false
}
