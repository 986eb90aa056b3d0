import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'

import { EXIT, InitFault, reasonOf } from './fault.ts'
import type { Input } from './input.ts'
import type { Settings } from './settings.ts'

/** How the agent ended. Under tini a signal arrives as the code 128 + its number. */
export type Outcome = { code: number | null; signal: NodeJS.Signals | null }

export type Agent = {
  readonly pid: number
  /** Called once, also when it ended before the call. */
  onEnd: (handler: (outcome: Outcome) => void) => void
  closeInput: () => void
  terminate: () => void
  kill: () => void
}

/** Starts the agent. Its output is ours, inherited: no byte of it passes through this program. */
export async function startAgent(settings: Settings, input: Input): Promise<Agent> {
  const [program, ...args] = settings.command
  const child = spawn(program, args, {
    cwd: settings.cwd,
    env: settings.env,
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  })
  // `exit`, not `close`: a grandchild may hold the output open for ever.
  const ended = new Promise<Outcome>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const pid = await started(child, settings)
  input.feed(child.stdin)
  return {
    pid,
    onEnd: (handler) => void ended.then(handler),
    closeInput: input.close,
    terminate: () => void child.kill('SIGTERM'),
    kill: () => killEverything(pid),
  }
}

/** The exit code that stands for an outcome. */
export function exitCodeOf({ code, signal }: Outcome): number {
  if (signal !== null) return 128 + constants.signals[signal]
  return code ?? EXIT.software
}

function started(child: ChildProcess, { command, cwd }: Settings): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0))
    child.once('error', (error) => {
      const what = `${command[0]} could not be started in ${cwd}: ${reasonOf(error)}.`
      reject(new InitFault(EXIT.notExecutable, what, { cause: error }))
    })
  })
}

/** Everything in the container. Outside of one (PID 1 is somebody else) only the agent's group. */
function killEverything(pid: number): void {
  try {
    process.kill(process.pid === 1 ? -1 : -pid, 'SIGKILL')
  } catch {
    // ESRCH: all gone already.
  }
}
