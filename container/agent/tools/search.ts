import path from 'node:path'

import { z } from 'zod'

import { oneLine } from '../visible.ts'
import { resolvePath } from './place.ts'
import type { Place, ResolvedPath } from './place.ts'
import { ripgrep, withNote } from './ripgrep.ts'
import { defineTool } from './tool.ts'
import type { RunContext, ToolResult } from './tool.ts'

const MAX_LINES = 500

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
  const args = [
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--max-columns=500',
    '--max-columns-preview',
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
    ...(input.ignore_case === true ? ['--ignore-case'] : []),
    `--regexp=${input.pattern}`,
  ]
  const where = ['--', target.shown === '.' ? `.${path.sep}` : target.shown]
  const found = await ripgrep(args, where, place, run)
  const matches = found.lines.length
  if (matches === 0) return { text: 'No matches.', failed: false, raw: { matches } }
  const { text, more } = withNote(found, MAX_LINES)
  return { text, failed: false, raw: { matches: Math.min(matches, MAX_LINES), more } }
}
