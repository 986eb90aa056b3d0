/** What the proxy and init say to each other about names. */
import type { Audit } from '../audit.ts'
import type { Configure } from '../messages.ts'

/**
 * What init's resolver may answer. The gateway's hosts are not among it: they are reached by the
 * gateway only.
 */
export function namesFrom({
  rules,
  deny,
}: Pick<Configure, 'rules' | 'deny'>): Record<string, unknown> {
  return { type: 'names', rules: rules.map(({ host, ports }) => ({ host, ports })), deny }
}

/**
 * Records the names that init refused a program inside. False for a message about something else.
 * They come from inside the container: a record of them is init's word.
 */
export function recordRefusedNames(audit: Audit, message: Record<string, unknown>): boolean {
  const { type, name, count } = message
  if (type === 'name-refused') {
    if (typeof name === 'string') audit.open({ kind: 'dns', host: name }).deny('host_not_allowed')
    return true
  }
  if (type !== 'names-refused') return false
  if (typeof count === 'number' && Number.isSafeInteger(count)) {
    audit.open({ kind: 'dns', count }).deny('host_not_allowed')
  }
  return true
}
