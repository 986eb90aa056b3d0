import type { FromInit } from './messages.ts'

/** Milliseconds in which a name is told once. */
export const WINDOW = 10_000
/** Names told in one window; further ones are counted. */
export const MAX_TOLD = 50
/** Characters of a name that are told. */
const MAX_SHOWN = 253

/**
 * Tells which names were refused: each once in a window, and what is past the bound as a number, so
 * that a program that asks in a loop cannot fill the log.
 */
export function tellRefusedNames(
  send: (message: FromInit) => void,
  window = WINDOW,
): (name: string) => void {
  let told = new Set<string>()
  let more = 0
  const close = () => {
    if (more > 0) send({ type: 'names-refused', count: more })
    told = new Set()
    more = 0
  }
  return (name) => {
    const shown = name.length <= MAX_SHOWN ? name : `${name.slice(0, MAX_SHOWN)}…`
    const key = shown.toLowerCase()
    if (told.has(key)) return
    if (told.size >= MAX_TOLD) {
      more += 1
      return
    }
    if (told.size === 0) setTimeout(close, window).unref()
    told.add(key)
    send({ type: 'name-refused', name: shown })
  }
}
