/** Our own command line as a process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

type Options = { env: Record<string, string | undefined>; cwd?: string }

/** Starts `glovebox …` without standard input. */
export function startCommand(argv: string[], { env, cwd = process.cwd() }: Options) {
  const child = spawn(process.execPath, [`${process.cwd()}/src/cli.ts`, ...argv], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const closed = once(child, 'close')
  return {
    child,
    output,
    /** The exit code; null when a signal ended it. */
    async exit(): Promise<number | null> {
      await closed
      return child.exitCode
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
