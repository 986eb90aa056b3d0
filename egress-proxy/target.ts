/** The request target: its form, and what an absolute-form one names. Pure. */
import { type Authority, type Parsed, parseHostPort } from './authority.ts'

export type Target = {
  authority: Authority
  userinfo: boolean
  /** As spelled, always beginning with `/`. */
  path: string
  /** With its `?`, or empty. */
  search: string
}

/**
 * Reads `http://host[:port]/path?query`. The path is kept as it was spelled: judged and forwarded
 * bytes are the same.
 */
export function parseAbsolute(url: string): Parsed<Target> {
  if (!/^[\x21-\x7e]+$/.test(url) || url.includes('#')) return malformed()
  if (url.startsWith('//')) return malformed()
  if (url.startsWith('/') || url === '*') return { ok: false, reason: 'not_absolute_form' }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]
  if (scheme === undefined) return malformed()
  if (scheme.toLowerCase() !== 'http') return { ok: false, reason: 'scheme_not_allowed' }
  const rest = url.slice('http:'.length)
  if (!rest.startsWith('//')) return malformed()
  const [, whole = '', pathAndQuery = ''] = /^\/\/([^/?]*)(.*)$/s.exec(rest) ?? []
  const at = whole.lastIndexOf('@')
  const authority = parseHostPort(whole.slice(at + 1), 80)
  if (!authority.ok) return authority
  return {
    ok: true,
    value: { authority: authority.value, userinfo: at !== -1, ...splitPath(pathAndQuery) },
  }
}

function malformed(): { ok: false; reason: 'malformed_target' } {
  return { ok: false, reason: 'malformed_target' }
}

/** Cuts an origin-form target at its first `?`. */
export function splitPath(target: string): { path: string; search: string } {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  return { path: path === '' ? '/' : path, search: mark === -1 ? '' : target.slice(mark) }
}
