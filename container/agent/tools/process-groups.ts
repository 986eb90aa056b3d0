/** Commands, each in a process group of its own, so that what it started ends with it. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'

import type { Exit } from './tool.ts'

export type GroupCommand = {
  file: string
  args: string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** Aborting it ends the group: TERM, and 2 s later KILL. */
  signal: AbortSignal
  /** Milliseconds, then the same. */
  timeout: number
  onOutput: (text: string) => void
}

export type GroupEnd = Exit & { timedOut: boolean }

const KILL_AFTER = 2_000
/** How long output may follow the end of the command, in milliseconds. */
const DRAIN = 250

export class ProcessGroups implements AsyncDisposable {
  readonly #running = new Map<number, Promise<unknown>>()

  /**
   * Runs a command to its end. What it left in the background ends with it.
   * @throws the spawn's error, such as ENOENT.
   */
  async run(command: GroupCommand): Promise<GroupEnd> {
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = endOf(child)
    const { pid } = child
    if (pid === undefined) return { ...(await ended), timedOut: false }
    this.#running.set(pid, ended)
    forwardOutput(child, command.onOutput)
    const ladder = endGroupOn(pid, command)
    try {
      const exit = await ended
      return { ...exit, timedOut: ladder.timedOut() }
    } finally {
      ladder.stop()
      signalGroup(pid, 'SIGKILL')
      this.#running.delete(pid)
    }
  }

  /** Kills every group, at once. */
  killAll(): void {
    for (const pid of this.#running.keys()) signalGroup(pid, 'SIGKILL')
  }

  /** Ends every group: TERM, half a second later KILL. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#running.keys()) signalGroup(pid, 'SIGTERM')
    const kill = setTimeout(() => this.killAll(), 500)
    await Promise.allSettled(this.#running.values())
    clearTimeout(kill)
  }
}

/** Resolves once the command ended and its output is read, or is held open by others for too long. */
function endOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('exit', () => {
      // A process left in the background holds the pipes open: `close` would wait for it.
      setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, DRAIN).unref()
    })
  })
}

function forwardOutput(child: ChildProcess, onOutput: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8')
    stream?.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk)
      if (text !== '') onOutput(text)
    })
  }
}

function endGroupOn(pid: number, command: GroupCommand) {
  let timedOut = false
  let kill: NodeJS.Timeout | undefined
  const end = () => {
    signalGroup(pid, 'SIGTERM')
    kill ??= setTimeout(() => signalGroup(pid, 'SIGKILL'), KILL_AFTER)
  }
  const limit = setTimeout(() => {
    timedOut = true
    end()
  }, command.timeout)
  if (command.signal.aborted) end()
  else command.signal.addEventListener('abort', end, { once: true })
  return {
    timedOut: () => timedOut,
    stop: () => {
      clearTimeout(limit)
      clearTimeout(kill)
      command.signal.removeEventListener('abort', end)
    },
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // ESRCH: the group is gone, which is what was wanted.
  }
}
