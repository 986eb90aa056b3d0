import { expect, test } from 'vitest'

import { editorEntries } from '../../../src/client/editors.ts'

const entries = editorEntries({ node: '/opt/node', entry: '/opt/gl"ove\\box.mjs' })
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
