import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export type AgentProcess = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * Starts `glovebox acp` from this very program. It gets a process group of its own, so that Ctrl-C
 * at the terminal reaches us alone and we can cancel in good order.
 */
export function spawnAcp(options: {
  /** The running command line's file. */
  entry: string
  args: string[]
  env: Record<string, string | undefined>
  cwd: string
}): AgentProcess {
  const { entry, args, env, cwd } = options
  return spawn(process.execPath, [...process.execArgv, entry, 'acp', ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
}
