/** Processes the bootstrap started earlier, known by pid file and checked by their command line. */
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The pid in a pid file, when that process still is the one that was started: its arguments hold
 * `mark`. A pid is reused sooner or later; a command line with our socket in it is not.
 */
export function livePid(pidFile, mark) {
  const pid = Number.parseInt(textOf(pidFile), 10)
  return pid > 1 && argumentsOf(pid).includes(mark) ? pid : undefined
}

/** The pids of all processes that have `mark` among their arguments. */
export function pidsWith(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => argumentsOf(pid).includes(mark))
}

/** Ends one process: SIGTERM, and SIGKILL when it is still there after `bound` milliseconds. */
export async function endProcess(pid, mark, bound) {
  const alive = () => argumentsOf(pid).includes(mark)
  for (const [signal, time] of [
    ['SIGTERM', bound],
    ['SIGKILL', 2_000],
  ]) {
    if (!alive()) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
    for (const end = Date.now() + time; alive() && Date.now() < end; await sleep(50)) continue
  }
}

/** Empty for a process that is gone, or a kernel's own. */
function argumentsOf(pid) {
  return textOf(`/proc/${pid}/cmdline`).split('\0')
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
