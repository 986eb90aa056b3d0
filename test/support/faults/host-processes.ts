import { readdirSync, readFileSync } from 'node:fs'

/** Whether the engine's host runs a process whose command line begins so. */
export function livesOnHost(text: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return line.startsWith(text)
    } catch {
      return false
    }
  })
}
