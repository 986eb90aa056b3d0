/** Everything an agent says is shown through here: what a terminal would obey or hide is written out. */

// Controls, format characters (bidirectional and zero-width ones, tags), line separators, and what
// has no shape: all that moves a cursor, hides text or reorders it (Unicode UTR 36; CVE-2021-42574).
// The emoji variation selector stays: it only asks for a picture.
const HIDDEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n]--\u{fe0f}]/gv

/** Hidden characters as `\u{…}`; line feed and tab stay, CR LF is a line feed. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(HIDDEN, (found) => String.raw`\u{${codePoint(found).toString(16)}}`)
}

/** As `visible`, on one line of at most `limit` characters. */
export function visibleLine(text: string, limit = 200): string {
  const line = visible(text.trim())
    .replaceAll(/\s*\n\s*/g, ' ↵ ')
    .replaceAll('\t', ' ')
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

/** JSON that is safe on a terminal and still means the same: hidden characters as JSON escapes. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(HIDDEN, (found) =>
    [...Array(found.length).keys()]
      .map((index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0
}
