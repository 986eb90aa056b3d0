/** Text from a model or a file, made safe to show: what cannot be seen is written out. */

// Controls, format characters (bidirectional and zero-width marks, tags), line separators and blank
// letters: what reorders or hides text (Unicode TR 36; "Trojan Source", CVE-2021-42574).
const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d/gu

/** Shows each hidden character as `\u{…}`; tab and line feed stay. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, written)
}

/** Whether anything in the text would be hidden or reorder what is shown; CR LF does not count. */
export function hasHidden(text: string): boolean {
  return text.replaceAll('\r\n', '\n').search(HIDDEN) !== -1
}

/** One visible line of at most `limit` characters, for titles. */
export function oneLine(text: string, limit = 200): string {
  const line = visible(
    text
      .trim()
      .replaceAll(/\s*\r?\n\s*/g, ' ↵ ')
      .replaceAll('\t', ' '),
  )
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`
}

/** The words with a full stop, where they have no end of their own. */
export function sentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`
}

function written(character: string): string {
  return String.raw`\u{${character.codePointAt(0)?.toString(16) ?? ''}}`
}
