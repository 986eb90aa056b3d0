import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { editorEntries } from '../../../src/client/editors.ts'

const entries = editorEntries(['/opt/node', '/opt/gl"ove\\box.mjs', 'acp'])
const textFor = (editor: string) =>
  entries.find((entry) => entry.editor.startsWith(editor))?.text ?? ''

test.for(['Zed', 'JetBrains'])('The entry for %s is JSON with the absolute command', (editor) => {
  expect(JSON.parse(textFor(editor))).toMatchObject({
    agent_servers: { Glovebox: { command: '/opt/node', args: ['/opt/gl"ove\\box.mjs', 'acp'] } },
  })
})

test('Only Zed wants the type of the agent', () => {
  expect(JSON.parse(textFor('Zed'))).toMatchObject({
    agent_servers: { Glovebox: { type: 'custom' } },
  })
  expect(textFor('JetBrains')).not.toContain('custom')
})

test.for([
  ['Neovim', String.raw`{ "/opt/node", "/opt/gl\"ove\\box.mjs", "acp" }`],
  ['Emacs', String.raw`:command-params '("/opt/gl\"ove\\box.mjs" "acp")`],
])('The entry for %s has the words quoted for its language', ([editor, words]) => {
  expect(textFor(editor ?? '')).toContain(words)
})

test('The README shows the entries as they are, for an installed command.', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
  const texts = editorEntries(['glovebox', 'acp']).map(({ text }) => text)
  expect(texts.filter((text) => !readme.includes(text))).toEqual([])
})
