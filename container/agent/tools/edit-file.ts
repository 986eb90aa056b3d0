import { z } from 'zod'

import { resolvePath } from './place.ts'
import type { Place, ResolvedPath } from './place.ts'
import { readTextIfThere } from './read-text.ts'
import { applyEdits } from './text-edits.ts'
import type { TextEdit } from './text-edits.ts'
import { defineTool, ToolFailure } from './tool.ts'
import type { Prepared } from './tool.ts'
import { changedSinceRead, writeChange } from './write-file.ts'

const OldText = z
  .string()
  .min(1)
  .describe('Text that is in the file exactly once, white space and all.')
const NewText = z.string().describe('What stands there instead; may be empty.')
const ReplaceAll = z.boolean().optional().describe('Replace every occurrence.')

const Input = z.strictObject({
  path: z.string().min(1).describe('The file; absolute, or relative to the project folder.'),
  old_text: OldText.optional(),
  new_text: NewText.optional(),
  replace_all: ReplaceAll,
  edits: z
    .array(z.strictObject({ old_text: OldText, new_text: NewText, replace_all: ReplaceAll }))
    .min(1)
    .optional()
    .describe('Several edits at once, done in order; instead of old_text and new_text.'),
})
type Input = z.infer<typeof Input>

export const editFileTool = defineTool({
  name: 'edit_file',
  kind: 'edit',
  readOnly: false,
  description:
    'Replaces exact text in an existing file: old_text by new_text, or a list of edits that ' +
    'all succeed or all fail.',
  input: Input,
  plan: async (input, place) => {
    const target = await resolvePath(place, input.path)
    return {
      title: `Edit ${target.shown}`,
      kind: 'edit',
      locations: [{ path: target.absolute }],
      need: { access: 'edit', path: target.real },
      prepare: () => prepare(target, editsOf(input), place),
    }
  },
})

async function prepare(target: ResolvedPath, edits: TextEdit[], place: Place): Promise<Prepared> {
  const oldText = await readTextIfThere(target.real, target.shown)
  if (oldText === undefined) throw new ToolFailure(`${target.shown} does not exist.`)
  if (await place.versions.changed(target.real)) throw changedSinceRead(target.shown)
  const { text: newText, line } = applyEdits(oldText, edits, target.shown)
  return {
    preview: [{ type: 'diff', path: target.absolute, oldText, newText }],
    locations: [{ path: target.absolute, line }],
    run: () => writeChange({ target, oldText, newText, place }),
  }
}

function editsOf(input: Input): TextEdit[] {
  const { old_text, new_text, replace_all, edits = [] } = input
  const single = old_text !== undefined && new_text !== undefined
  if (single === edits.length > 0 || (old_text === undefined) !== (new_text === undefined))
    throw new ToolFailure('Give either old_text and new_text, or edits.')
  const all = single ? [{ old_text, new_text, replace_all }] : edits
  return all.map((edit) => ({
    oldText: edit.old_text,
    newText: edit.new_text,
    everywhere: edit.replace_all ?? false,
  }))
}
