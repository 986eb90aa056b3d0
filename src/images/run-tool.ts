import { spawn } from 'node:child_process'

import { GloveboxError } from '../errors.ts'

/** How much of a failed tool's last words an error repeats, in characters. */
const LAST_WORDS = 600

export type ToolOptions = {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/**
 * Runs a tool of the host and resolves with its output. Throws `build_failed` with the last words
 * of its standard error when it fails or is not there. It gets no standard input.
 */
export async function runTool(
  command: string,
  args: string[],
  options: ToolOptions = {},
): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const told = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told.err = (told.err + text).slice(-LAST_WORDS)
  })
  child.once('error', (cause) => reject(failed(command, cause.message, cause)))
  child.once('close', (code, signal) => {
    if (code === 0) resolve(told.out)
    else reject(failed(command, `${told.err.trim()} (exit ${code ?? signal})`))
  })
  return await promise
}

const failed = (command: string, text: string, cause?: Error): GloveboxError =>
  new GloveboxError('build_failed', `${command} failed: ${text}.`, '', cause && { cause })
