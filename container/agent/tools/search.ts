import path from 'node:path'

import { z } from 'zod'

import { SENSITIVE_GLOBS } from '../permission/sensitive.ts'
import { oneLine } from '../visible.ts'
import { commandEnvironment } from './command-environment.ts'
import { resolvePath } from './place.ts'
import type { Place, ResolvedPath } from './place.ts'
import { isCode } from './read-text.ts'
import { defineTool, ToolFailure } from './tool.ts'
import type { RunContext, ToolResult } from './tool.ts'

const MAX_LINES = 500
const MAX_TEXT = 100_000
const TIMEOUT = 60_000

const Input = z.strictObject({
  pattern: z.string().min(1).describe('A regular expression (Rust syntax).'),
  path: z.string().min(1).default('.').describe('A file or folder; the project when absent.'),
  glob: z.string().min(1).optional().describe('Only files like this, such as *.ts.'),
  ignore_case: z.boolean().optional(),
})
type Input = z.infer<typeof Input>

export const searchTool = defineTool({
  name: 'search',
  kind: 'search',
  readOnly: true,
  description:
    'Searches file contents with ripgrep: file, line number and line of each match. ' +
    'Files that git ignores are left out.',
  input: Input,
  plan: async (input, place) => {
    const target = await resolvePath(place, input.path)
    const where = target.shown === '.' ? '' : ` in ${target.shown}`
    return {
      title: `Search ${oneLine(input.pattern, 120)}${where}`,
      kind: 'search',
      locations: [{ path: target.absolute }],
      need: { access: 'read', path: target.real },
      prepare: async () => ({ preview: [], run: (run) => search(input, target, place, run) }),
    }
  },
})

async function search(
  input: Input,
  target: ResolvedPath,
  place: Place,
  run: RunContext,
): Promise<ToolResult> {
  const enough = new AbortController()
  let output = ''
  try {
    const end = await place.groups.run({
      file: 'rg',
      args: argumentsOf(input, target),
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
    return resultOf(end.code, output, end.timedOut)
  } catch (error) {
    if (isCode(error, 'ENOENT'))
      throw new ToolFailure('ripgrep (rg) is not installed here. Use run_command with grep.', {
        cause: error,
      })
    throw error
  }
}

function argumentsOf(input: Input, target: ResolvedPath): string[] {
  return [
    '--no-config',
    '--color=never',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--hidden',
    '--max-columns=500',
    '--max-columns-preview',
    '--glob=!.git',
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
    ...SENSITIVE_GLOBS.map((glob) => `--iglob=${glob}`),
    ...(input.ignore_case === true ? ['--ignore-case'] : []),
    `--regexp=${input.pattern}`,
    '--',
    target.shown === '.' ? `.${path.sep}` : target.shown,
  ]
}

/** ripgrep ends 0 with matches, 1 without, 2 with an error (and maybe matches). */
function resultOf(code: number | null, output: string, timedOut: boolean): ToolResult {
  const lines = output.split('\n').filter((line) => line !== '')
  if (code === 1) return { text: 'No matches.', failed: false, raw: { matches: 0 } }
  if (code === 2) throw new ToolFailure(`The search failed: ${output.slice(0, 2_000).trim()}`)
  const kept = lines.slice(0, MAX_LINES)
  const more = kept.length < lines.length || code === null
  const why = timedOut ? 'The search took too long' : 'There are more matches'
  const note = more ? `\n(${why}; narrow the pattern or the path.)` : ''
  return { text: kept.join('\n') + note, failed: false, raw: { matches: kept.length, more } }
}
