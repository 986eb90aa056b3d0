import path from 'node:path'

import { z } from 'zod'

import { oneLine } from '../visible.ts'
import { resolvePath } from './place.ts'
import { ripgrep, withNote } from './ripgrep.ts'
import { defineTool } from './tool.ts'

const MAX_FILES = 1_000

export const findFilesTool = defineTool({
  name: 'find_files',
  kind: 'search',
  readOnly: true,
  description:
    'Finds files by name with a glob, such as src/**/*.test.ts or *.md. ' +
    'Files that git ignores are left out.',
  input: z.strictObject({
    pattern: z.string().min(1).describe('A glob; without a / it fits in every folder.'),
    path: z.string().min(1).default('.').describe('The folder; the project when absent.'),
  }),
  plan: async (input, place) => {
    const target = await resolvePath(place, input.path)
    const where = target.shown === '.' ? '' : ` in ${target.shown}`
    return {
      title: `Search ${oneLine(input.pattern, 120)}${where}`,
      kind: 'search',
      locations: [{ path: target.absolute }],
      need: { access: 'read', path: target.real },
      prepare: async () => ({
        preview: [],
        run: async (run) => {
          const folder = target.shown === '.' ? `.${path.sep}` : target.shown
          const args = ['--files', '--sort=path', `--glob=${input.pattern}`]
          const found = await ripgrep(args, ['--', folder], place, run)
          const files = found.lines.length
          if (files === 0) return { text: 'No files.', failed: false, raw: { files } }
          const { text, more } = withNote(found, MAX_FILES)
          return { text, failed: false, raw: { files: Math.min(files, MAX_FILES), more } }
        },
      }),
    }
  },
})
