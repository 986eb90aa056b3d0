/** What runs, read from /proc. */
import { readFileSync, readdirSync } from 'node:fs'

export type Process = {
  pid: number
  /** The parent's; 0 when it is outside the container. */
  parent: number
  /** `R`, `S`, `D`, `T` (stopped), `Z` (dead, not yet collected) …; proc_pid_stat(5), field 3. */
  state: string
  /** Clock ticks since boot, field 22: with `pid` it names one process for ever. */
  start: number
}

export type Scan = {
  processes: Process[]
  /** False when a process ended while the list was read: what it started may be missing. */
  steady: boolean
}

/** Everything that runs now. */
export function scan(): Scan {
  const processes: Process[] = []
  let steady = true
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const stat = read(pid, 'stat')
    if (stat === undefined) steady = false
    else processes.push(parseStat(stat))
  }
  return { processes, steady }
}

/** One line of `/proc/PID/stat`. The command in it may hold spaces and brackets of its own. */
export function parseStat(line: string): Process {
  const pid = Number.parseInt(line, 10)
  const [state = '?', parent, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return { pid, state, parent: Number(parent), start: Number(rest[17]) }
}

/** A process' command line with spaces between its arguments; its short name when it has none. */
export function commandOf(pid: number): string {
  const line = read(pid, 'cmdline')?.replaceAll('\0', ' ').trim()
  return line || `[${read(pid, 'comm')?.trim() ?? 'ended'}]`
}

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}
