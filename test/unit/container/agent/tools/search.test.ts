import { chmod } from 'node:fs/promises'
import path from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { FileVersions } from '../../../../../container/agent/tools/file-versions.ts'
import { findFilesTool } from '../../../../../container/agent/tools/find-files.ts'
import { ProcessGroups } from '../../../../../container/agent/tools/process-groups.ts'
import { searchTool } from '../../../../../container/agent/tools/search.ts'
import { newProject } from '../../../../support/agent/project.ts'

afterEach(() => vi.unstubAllEnvs())

/** Searches with a stand-in for ripgrep that notes its arguments and does what the script says. */
async function search(script: string, input: unknown, tool = searchTool) {
  await using project = await newProject()
  await using groups = new ProcessGroups()
  const file = await project.write('bin/rg', `#!/bin/sh\nprintf '%s\\n' "$@" > args\n${script}\n`)
  await chmod(file, 0o755)
  vi.stubEnv('PATH', `${path.dirname(file)}:${process.env['PATH']}`)
  const place = { root: project.root, realRoot: project.root, versions: new FileVersions(), groups }
  const planned = await tool.plan(input, place)
  const prepared = await planned.prepare()
  const { signal } = new AbortController()
  const result = await prepared
    .run({ signal, progress: () => undefined, form: undefined })
    .catch((error) => error)
  return { planned, result, args: (await project.read('args')).trim().split('\n') }
}

test('the pattern cannot be taken for an option, and secret files are left out last', async () => {
  const { args, result } = await search('echo "a.ts:1:x"', {
    pattern: '--pre=sh',
    glob: '.env',
    ignore_case: true,
  })
  expect(result).toMatchObject({ text: 'a.ts:1:x', failed: false })
  expect(args).toContain('--regexp=--pre=sh')
  expect(args).toContain('--ignore-case')
  expect(args.slice(-2)).toEqual(['--', './'])
  expect(args.indexOf('--iglob=!.env')).toBeGreaterThan(args.indexOf('--glob=.env'))
})

test('no match is an answer, an error is a failure with ripgrep’s words', async () => {
  expect((await search('exit 1', { pattern: 'x' })).result).toMatchObject({
    text: 'No matches.',
    failed: false,
  })
  const { result } = await search('echo "regex parse error" >&2; exit 2', { pattern: '(' })
  expect(result.message).toBe('The search failed: regex parse error')
})

test('too many matches are cut, and the search is ended', async () => {
  const { result } = await search('while :; do echo "a.ts:1:xxxxxxxxxxxxxxxxxx"; done', {
    pattern: 'x',
  })
  expect(result.text.split('\n')).toHaveLength(501)
  expect(result.text).toMatch(/There are more matches; narrow the pattern or the path\.\)$/)
})

test('without ripgrep the model is told what to do', async () => {
  await using project = await newProject()
  await using groups = new ProcessGroups()
  vi.stubEnv('PATH', project.root)
  const place = { root: project.root, realRoot: project.root, versions: new FileVersions(), groups }
  const prepared = await (await searchTool.plan({ pattern: 'x' }, place)).prepare()
  const { signal } = new AbortController()
  await expect(
    prepared.run({ signal, progress: () => undefined, form: undefined }),
  ).rejects.toThrow('ripgrep (rg) is not installed here. Use run_command with grep or find.')
})

test('files are found by glob, secret ones left out last', async () => {
  const { args, result, planned } = await search('echo a.md', { pattern: '*.md' }, findFilesTool)
  expect(planned).toMatchObject({ title: 'Search *.md', kind: 'search' })
  expect(result).toMatchObject({ text: 'a.md', failed: false })
  expect(args).toContain('--files')
  expect(args.indexOf('--iglob=!.env')).toBeGreaterThan(args.indexOf('--glob=*.md'))
})
