/** Which processes a cancelled turn left behind, as pure functions of two lists. */
import type { Process, Scan } from './processes.ts'

/** The processes there were when a turn began. */
export type Mark = ReadonlySet<string>

/** A process' name for ever: ids are used again, ids with a start time are not. */
export function nameOf({ pid, start }: Process): string {
  return `${pid}@${start}`
}

export function markOf({ processes }: Scan): Mark {
  return new Set(processes.map(nameOf))
}

/** The ids of every process, and of the process that started it. */
type Tree = ReadonlyMap<number, Process>

type Selection = {
  /** Init's own process id: only what it or its descendants started is looked at. */
  self: number
  mark: Mark
  helpers: (process: Process) => boolean
}

/**
 * What runs now, did not run at the mark, and is no helper. In this order:
 * 1. A dead process: left to its parent.
 * 2. Not below init: started from outside by the engine's exec.
 * 3. There at the mark: the agent, what it runs all the time, and what earlier turns left.
 * 4. A declared helper, or started by one.
 * Session, process group and terminal play no part, and an orphan is below init again.
 */
export function strays({ processes }: Scan, { self, mark, helpers }: Selection): Process[] {
  const tree: Tree = new Map(processes.map((process) => [process.pid, process]))
  return processes.filter((process) => {
    if (process.state === 'Z' || process.state === 'X' || process.pid === self) return false
    const above = ancestors(process, tree)
    if (!above.some(({ pid }) => pid === self)) return false
    if (mark.has(nameOf(process))) return false
    return ![process, ...above].some((one) => !mark.has(nameOf(one)) && helpers(one))
  })
}

function ancestors(process: Process, tree: Tree): Process[] {
  const found: Process[] = []
  let next = tree.get(process.parent)
  // A list read while processes come and go might close a circle.
  while (next !== undefined && !found.includes(next)) {
    found.push(next)
    next = tree.get(next.parent)
  }
  return found
}

/** Whether a command line is of this pattern, in which `*` stands for any text. */
export function matches(pattern: string, command: string): boolean {
  const [head = '', ...pieces] = pattern.split('*')
  const tail = pieces.pop()
  if (tail === undefined) return command === pattern
  if (!command.startsWith(head)) return false
  let at = head.length
  for (const piece of pieces) {
    const found = command.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return command.length - tail.length >= at && command.endsWith(tail)
}
