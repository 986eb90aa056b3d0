import { mkdir, symlink } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { editFileTool } from '../../../../../container/agent/tools/edit-file.ts'
import { FileVersions } from '../../../../../container/agent/tools/file-versions.ts'
import { listFilesTool } from '../../../../../container/agent/tools/list-files.ts'
import type { Place } from '../../../../../container/agent/tools/place.ts'
import { ProcessGroups } from '../../../../../container/agent/tools/process-groups.ts'
import { readFileTool } from '../../../../../container/agent/tools/read-file.ts'
import type { Tool } from '../../../../../container/agent/tools/tool.ts'
import { writeFileTool } from '../../../../../container/agent/tools/write-file.ts'
import { newProject } from '../../../../support/agent/project.ts'
import type { Project } from '../../../../support/agent/project.ts'

function placeIn(project: Project): Place {
  const { root } = project
  return { root, realRoot: root, versions: new FileVersions(), groups: new ProcessGroups() }
}

/** The result's text, or the failure's. */
async function use(tool: Tool, input: unknown, place: Place): Promise<string> {
  try {
    const prepared = await (await tool.plan(input, place)).prepare()
    const { signal } = new AbortController()
    return (await prepared.run({ signal, progress: () => undefined, form: undefined })).text
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test('a file is read in pages of at most 2,000 lines', async () => {
  const lines = Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}`)
  await using project = await newProject({ long: lines.join('\n') })
  const place = placeIn(project)
  const first = await use(readFileTool, { path: 'long' }, place)
  expect(first.split('\n')[0]).toBe('1\tline 1')
  expect(first).toMatch(/2000\tline 2000\n\(More follows: read on with offset 2001\.\)$/)
  const rest = await use(readFileTool, { path: 'long', offset: 2_001 }, place)
  expect(rest.split('\n')).toHaveLength(500)
  expect(await use(readFileTool, { path: 'long', offset: 9_000 }, place)).toBe(
    'long has only 2500 lines; line 9000 is past its end.',
  )
})

test.for([
  ['gone', 'gone does not exist.'],
  ['dir', 'dir is a folder.'],
  ['binary', 'binary is a binary file.'],
  ['empty', 'empty is empty.'],
  ['loop', 'loop leads around in a circle of links.'],
] as const)('reading %s says: %s', async ([path, words]) => {
  await using project = await newProject({ binary: 'a\0b', empty: '' })
  await mkdir(project.path('dir'))
  await symlink('loop', project.path('loop'))
  expect(await use(readFileTool, { path }, placeIn(project))).toBe(words)
})

test('a line of a megabyte is cut', async () => {
  await using project = await newProject({ wide: 'x'.repeat(1_000_000) })
  const text = await use(readFileTool, { path: 'wide' }, placeIn(project))
  expect(text.length).toBeLessThan(3_000)
  expect(text).toContain('(line cut)')
})

test('an edit of a file that changed since it was read is refused', async () => {
  await using project = await newProject({ a: 'one two' })
  const place = placeIn(project)
  await use(readFileTool, { path: 'a' }, place)
  await project.write('a', 'one 2')
  const edit = { path: 'a', old_text: 'one', new_text: '1' }
  expect(await use(editFileTool, edit, place)).toBe(
    'a changed since it was read. Read it again first.',
  )
  expect(await use(writeFileTool, { path: 'a', content: 'x' }, place)).toMatch(/^a changed since/)
  await use(readFileTool, { path: 'a' }, place)
  expect(await use(editFileTool, edit, place)).toBe('Changed a.')
  expect(await use(editFileTool, { path: 'a', old_text: '1', new_text: '3' }, place)).toBe(
    'Changed a.',
  )
  expect(await project.read('a')).toBe('3 2')
})

test('several edits succeed together or not at all', async () => {
  await using project = await newProject({ a: 'one two' })
  const place = placeIn(project)
  const good = { old_text: 'one', new_text: '1' }
  const edits = [good, { old_text: 'three', new_text: '3' }]
  expect(await use(editFileTool, { path: 'a', edits }, place)).toMatch(/not in a \(edit 2 of 2\)/)
  expect(await project.read('a')).toBe('one two')
  const both = [good, { old_text: 'two', new_text: '2' }]
  expect(await use(editFileTool, { path: 'a', edits: both }, place)).toBe('Changed a.')
  expect(await project.read('a')).toBe('1 2')
})

test.for([
  [{ path: 'a' }, /Give either old_text and new_text, or edits\./],
  [{ path: 'a', old_text: 'x' }, /Give either/],
  [{ path: 'a', old_text: 'x', new_text: 'y', edits: [{ old_text: 'x', new_text: 'y' }] }, /Give/],
  [{ path: 'gone', old_text: 'x', new_text: 'y' }, /gone does not exist\./],
  [{ path: 'latin', old_text: 'x', new_text: 'y' }, /latin is not UTF-8 text\./],
] as const)('the edit %j is refused', async ([input, words]) => {
  await using project = await newProject({ a: 'x' })
  const { writeFile } = await import('node:fs/promises')
  await writeFile(project.path('latin'), Buffer.from([0x78, 0xe9]))
  expect(await use(editFileTool, input, placeIn(project))).toMatch(words)
})

test('folders are listed in order, inner ones on request, made ones by name only', async () => {
  await using project = await newProject({ 'b/c.txt': '', a: '', 'node_modules/x/y.js': '' })
  const place = placeIn(project)
  expect(await use(listFilesTool, {}, place)).toBe('a\nb/\nnode_modules/')
  expect(await use(listFilesTool, { recursive: true }, place)).toBe('a\nb/\nnode_modules/\nb/c.txt')
  expect(await use(listFilesTool, { path: 'none' }, place)).toBe('none does not exist.')
})

test('a picture is read as one, whatever its name', async () => {
  await using project = await newProject()
  const { writeFile } = await import('node:fs/promises')
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  await writeFile(project.path('picture'), png)
  const planned = await readFileTool.plan({ path: 'picture' }, placeIn(project))
  const { signal } = new AbortController()
  const prepared = await planned.prepare()
  const result = await prepared.run({ signal, progress: () => undefined, form: undefined })
  expect(result).toMatchObject({
    text: 'picture is an image (image/png, 16 bytes).',
    images: [{ type: 'image', mimeType: 'image/png', data: png.toString('base64') }],
  })
})
