import { symlink } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { commandsFor, parseCommand } from '../../../../../container/agent/commands/command.ts'
import { filled } from '../../../../../container/agent/commands/expand.ts'
import { newProject } from '../../../../support/agent/project.ts'

test('a command file has an optional head, and its first line describes it otherwise', () => {
  expect(parseCommand('---\ndescription: "Say hi"\nargument-hint: name\n---\nHi $1')).toEqual({
    description: 'Say hi',
    hint: 'name',
    prompt: 'Hi $1',
  })
  expect(parseCommand('Do it.\nNow.')).toEqual({
    description: 'Do it.',
    hint: undefined,
    prompt: 'Do it.\nNow.',
  })
})

test.for([
  ['a $1 c $2', 'b  d', 'a b c d'],
  ['$ARGUMENTS!', 'x y', 'x y!'],
  ['$1', '', ''],
  ['plain', 'more', 'plain\n\nmore'],
  ['plain', '', 'plain'],
  ['$1', '$ARGUMENTS', '$ARGUMENTS'],
] as const)('%j with the arguments %j becomes %j', ([prompt, parameters, expected]) => {
  expect(filled(prompt, parameters)).toBe(expected)
})

test('only Markdown files with plain names that lie in the folder are commands', async () => {
  await using outside = await newProject({ 'secret.md': 'secret' })
  await using project = await newProject({
    '.claude/commands/good.md': 'x',
    '.claude/commands/not a name.md': 'x',
    '.claude/commands/notes.txt': 'x',
    '.claude/commands/status.md': 'takes the place of nothing',
  })
  await symlink(outside.path('secret.md'), project.path('.claude/commands/link.md'))
  const commands = await commandsFor(project.root, undefined)
  expect(commands.map(({ name, kind }) => [name, kind])).toEqual([
    ['status', 'built-in'],
    ['good', 'file'],
  ])
})
