/** Which answers of an agent begin a session, and which are its container's last. Pure. */

const OPENING = new Set(['session/new', 'session/load', 'session/resume'])
/** After these the container is not needed: the last two never had a session. */
const LAST = new Set(['session/close', 'session/list', 'session/delete'])

/** Whether there is a session when this request succeeds. */
export function opens(method: string): boolean {
  return OPENING.has(method)
}

/** Whether the container has no session after this answer. */
export function isLast(method: string, failed: boolean): boolean {
  return LAST.has(method) || (failed && opens(method))
}
