/** Paths are compared as spelled; a spelling that a server may read as another path is refused. Pure. */

/** UTF-8 that is longer than need be: some servers read `%c0%af` as a slash (RFC 3629, 10). */
const OVERLONG = /%(?:c[01]|e0%[89][0-9a-f]|f0%8[0-9a-f])/i

/** A dot, slash, backslash or NUL to a server that decodes again what it has decoded. */
const ENCODED_TWICE = /%(?:25)+(?:2e|2f|5c|00)/i

const AMBIGUOUS_ESCAPES = [/%(?![0-9a-f]{2})/i, /%(?:00|5c)/i, OVERLONG, ENCODED_TWICE]

/**
 * Whether no server would take the path for another one: no dot segments (also encoded, or with a
 * `;parameter`), no empty segments, no backslash, no encoded slash, backslash or NUL, none of them
 * encoded twice or overlong.
 */
export function isCanonicalPath(path: string, options?: { encodedSlash?: boolean }): boolean {
  if (!path.startsWith('/') || !/^[\x21-\x7e]+$/.test(path)) return false
  if (path.includes('//') || path.includes('\\') || path.includes('#')) return false
  if (AMBIGUOUS_ESCAPES.some((pattern) => pattern.test(path))) return false
  if (options?.encodedSlash !== true && /%2f/i.test(path)) return false
  return path.split(/\/|%2f/i).every((segment) => !isDotSegment(segment))
}

function isDotSegment(segment: string): boolean {
  const bare = segment.replaceAll(/%2e/gi, '.').replaceAll(/%3b/gi, ';').replace(/;.*$/s, '')
  return bare === '.' || bare === '..'
}

/** Whether a path fits one of the patterns: `*` is any part of a segment, `**` anything. */
export function matchesPath(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => toRegExp(pattern).test(path))
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}

const compiled = new Map<string, RegExp>()

function toRegExp(pattern: string): RegExp {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : escape(part)))
    .join('')
  const made = new RegExp(`^${source}$`, 's')
  compiled.set(pattern, made)
  return made
}
