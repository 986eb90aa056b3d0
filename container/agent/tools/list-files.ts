import { readdir } from 'node:fs/promises'
import path from 'node:path'

import { z } from 'zod'

import { resolvePath } from './place.ts'
import type { ResolvedPath } from './place.ts'
import { fileFailure } from './read-text.ts'
import { defineTool } from './tool.ts'
import type { ToolResult } from './tool.ts'

const MAX_ENTRIES = 1_000
/** Folders that are named and not walked: what is in them is made, not written. */
const NOT_WALKED = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

const Input = z.strictObject({
  path: z.string().min(1).default('.').describe('The folder; the project folder when absent.'),
  recursive: z.boolean().optional().describe('List the folders inside as well.'),
})

export const listFilesTool = defineTool({
  name: 'list_files',
  kind: 'read',
  readOnly: true,
  description:
    `Lists a folder, folders with a / at the end. At most ${MAX_ENTRIES} entries; ` +
    'with recursive, node_modules and the like are named but not entered.',
  input: Input,
  plan: async (input, place) => {
    const target = await resolvePath(place, input.path)
    return {
      title: `Read ${target.shown}`,
      kind: 'read',
      locations: [{ path: target.absolute }],
      need: { access: 'read', path: target.real },
      prepare: async () => ({
        preview: [],
        run: ({ signal }) => list(target, input.recursive ?? false, signal),
      }),
    }
  },
})

async function list(
  target: ResolvedPath,
  recursive: boolean,
  signal: AbortSignal,
): Promise<ToolResult> {
  const found: string[] = []
  const waiting = ['']
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    signal.throwIfAborted()
    for (const entry of await entriesOf(target, folder)) {
      const name = path.join(folder, entry.name)
      found.push(entry.isDirectory() ? `${name}/` : name)
      if (recursive && entry.isDirectory() && !NOT_WALKED.has(entry.name)) waiting.push(name)
    }
    if (found.length > MAX_ENTRIES) break
  }
  const more = found.length > MAX_ENTRIES || waiting.length > 0
  return resultOf(found.slice(0, MAX_ENTRIES), more, target.shown)
}

/** A folder inside that cannot be read is passed over; the one asked for is a failure. */
async function entriesOf(target: ResolvedPath, folder: string) {
  try {
    const entries = await readdir(path.join(target.real, folder), { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (folder === '') throw fileFailure(error, target.shown)
    return []
  }
}

function resultOf(entries: string[], more: boolean, shown: string): ToolResult {
  if (entries.length === 0) return { text: `${shown} is empty.`, failed: false, raw: { entries } }
  const note = more ? `\n(More than ${MAX_ENTRIES} entries; list a folder inside.)` : ''
  return { text: entries.join('\n') + note, failed: false, raw: { entries: entries.length, more } }
}
