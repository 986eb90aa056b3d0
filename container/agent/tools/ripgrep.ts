/** Runs ripgrep in the project; files that hold secrets are left out of everything it finds. */
import { SENSITIVE_GLOBS } from '../permission/sensitive.ts'
import { commandEnvironment } from './command-environment.ts'
import type { Place } from './place.ts'
import { isCode } from './read-text.ts'
import { ToolFailure } from './tool.ts'
import type { RunContext } from './tool.ts'

const MAX_TEXT = 100_000
const TIMEOUT = 60_000

export type Found = {
  lines: string[]
  /** Why there may be more than these. */
  cut: 'time' | 'size' | undefined
}

/**
 * ripgrep ends 0 with matches, 1 without, 2 with an error (and maybe matches).
 * @param args options, without globs for secret files: those have to come last.
 * @param where what follows the options.
 */
export async function ripgrep(
  args: string[],
  where: string[],
  place: Place,
  run: RunContext,
): Promise<Found> {
  const enough = new AbortController()
  let output = ''
  try {
    const { code, timedOut } = await place.groups.run({
      file: 'rg',
      args: [...COMMON, ...args, ...SECRETS, ...where],
      cwd: place.root,
      env: commandEnvironment(process.env),
      signal: AbortSignal.any([run.signal, enough.signal]),
      timeout: TIMEOUT,
      onOutput: (text) => {
        if (output.length <= MAX_TEXT) output += text
        else enough.abort()
      },
    })
    run.signal.throwIfAborted()
    if (code === 2) throw new ToolFailure(`The search failed: ${output.slice(0, 2_000).trim()}`)
    const size = enough.signal.aborted ? 'size' : undefined
    return { lines: linesOf(output), cut: timedOut ? 'time' : size }
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    const text = 'ripgrep (rg) is not installed here. Use run_command with grep or find.'
    throw new ToolFailure(text, { cause: error })
  }
}

const COMMON = ['--no-config', '--color=never', '--hidden', '--glob=!.git']
const SECRETS = SENSITIVE_GLOBS.map((glob) => `--iglob=${glob}`)

function linesOf(output: string): string[] {
  return output.split('\n').filter((line) => line !== '')
}

/** At most so many lines, and a last one that says when there is more. */
export function withNote(found: Found, limit: number): { text: string; more: boolean } {
  const kept = found.lines.slice(0, limit)
  const more = found.cut !== undefined || kept.length < found.lines.length
  if (!more) return { text: kept.join('\n'), more }
  const why = found.cut === 'time' ? 'The search took too long' : 'There are more matches'
  return { text: `${kept.join('\n')}\n(${why}; narrow the pattern or the path.)`, more }
}
