/** `glovebox run` as a process, on the scripted agent. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export function startRun(argv: string[], input?: string) {
  const child = spawn(process.execPath, ['test/support/client/run-entry.ts', 'run', ...argv], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const closed = once(child, 'close')
  child.stdin.end(input ?? '')
  return {
    output,
    interrupt: () => child.kill('SIGINT'),
    /** Reads no more of its output, as `head` does when it has enough. */
    leave: () => child.stdout.destroy(),
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
