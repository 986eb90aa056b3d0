import { z } from 'zod'

import { resolvePath } from './place.ts'
import type { Place, ResolvedPath } from './place.ts'
import { readTextIfThere } from './read-text.ts'
import { replaceFile } from './replace-file.ts'
import { defineTool, ToolFailure } from './tool.ts'
import type { Prepared } from './tool.ts'

export const writeFileTool = defineTool({
  name: 'write_file',
  kind: 'edit',
  readOnly: false,
  description:
    'Writes a whole file, making it and its folders when they are not there. ' +
    'Prefer edit_file for a change to an existing file.',
  input: z.strictObject({
    path: z.string().min(1).describe('The file; absolute, or relative to the project folder.'),
    content: z.string().describe('The whole new content.'),
  }),
  plan: async (input, place) => {
    const target = await resolvePath(place, input.path)
    return {
      title: `Write ${target.shown}`,
      kind: 'edit',
      locations: [{ path: target.absolute }],
      need: { access: 'edit', path: target.real },
      prepare: () => prepare(target, input.content, place),
    }
  },
})

async function prepare(target: ResolvedPath, content: string, place: Place): Promise<Prepared> {
  const oldText = await readTextIfThere(target.real, target.shown)
  if (await place.versions.changed(target.real)) throw changedSinceRead(target.shown)
  return {
    preview: [{ type: 'diff', path: target.absolute, oldText, newText: content }],
    run: () => writeChange({ target, oldText, newText: content, place }),
  }
}

export type Change = {
  target: ResolvedPath
  oldText: string | undefined
  newText: string
  place: Place
}

/** Writes what the user saw, and only over what the user saw. */
export async function writeChange(change: Change) {
  const { target, oldText, newText, place } = change
  if ((await readTextIfThere(target.real, target.shown)) !== oldText)
    throw new ToolFailure(`${target.shown} changed while the question was open. Read it again.`)
  await replaceFile(target.real, target.shown, newText)
  await place.versions.note(target.real)
  return {
    text: oldText === undefined ? `Created ${target.shown}.` : `Changed ${target.shown}.`,
    failed: false,
    show: [{ type: 'diff' as const, path: target.absolute, oldText, newText }],
    raw: { path: target.absolute, created: oldText === undefined },
  }
}

export function changedSinceRead(shown: string): ToolFailure {
  return new ToolFailure(`${shown} changed since it was read. Read it again first.`)
}
