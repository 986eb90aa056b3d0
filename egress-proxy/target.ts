/** The request target: its form, and what an absolute-form one names. Pure. */
import { type Authority, type Parsed, parseHostPort } from './authority.ts'
import type { Reason } from './reasons.ts'

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
  const fault = faultInForm(url)
  if (fault !== undefined) return { ok: false, reason: fault }
  const [, whole = '', pathAndQuery = ''] = /^http:\/\/([^/?]*)(.*)$/is.exec(url) ?? []
  const at = whole.lastIndexOf('@')
  const authority = parseHostPort(whole.slice(at + 1), 80)
  if (!authority.ok) return authority
  return {
    ok: true,
    value: { authority: authority.value, userinfo: at !== -1, ...splitPath(pathAndQuery) },
  }
}

function faultInForm(url: string): Reason | undefined {
  if (!/^[\x21-\x7e]+$/.test(url) || url.includes('#')) return 'malformed_target'
  if (url.startsWith('//')) return 'malformed_target'
  if (url.startsWith('/') || url === '*') return 'not_absolute_form'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http') return 'scheme_not_allowed'
  return /^http:\/\//i.test(url) ? undefined : 'malformed_target'
}

/** Cuts an origin-form target at its first `?`. */
export function splitPath(target: string): { path: string; search: string } {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  return { path: path === '' ? '/' : path, search: mark === -1 ? '' : target.slice(mark) }
}
