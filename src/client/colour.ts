import type { Writable } from 'node:stream'

type Style = 'added' | 'removed' | 'faint' | 'name' | 'good' | 'bad'

/** Wraps text for a terminal, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

const CODES: Record<Style, string> = {
  added: '32',
  removed: '31',
  faint: '2',
  name: '1',
  good: '32',
  bad: '31',
}

/** Colours on a terminal, unless NO_COLOR is set and not empty (no-color.org). */
export function paintFor(
  stream: Writable & { isTTY?: boolean },
  env: Record<string, string | undefined>,
): Paint {
  const plain = stream.isTTY !== true || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return plain ? (_, text) => text : (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m`
}
