import { expect, test } from 'vitest'

import { toCall } from '../../../../container/demo-model/tools.ts'
import { TOOLS } from '../../../support/demo-model/small-agent.ts'

const edit = { say: 's', role: 'edit', path: '/p/a', oldText: 'x', newText: 'y' } as const

test.for([
  ['glovebox', 'edit_file', { path: '/p/a', old_text: 'x', new_text: 'y' }],
  ['claude', 'Edit', { file_path: '/p/a', old_string: 'x', new_string: 'y' }],
] as const)('An edit takes the names and fields that %s offers', ([names, name, input]) => {
  expect(toCall(edit, TOOLS[names])).toEqual({ name, input })
})

test('A required field the model does not know is filled with its own words', () => {
  const call = toCall({ say: 'I look.', role: 'run', command: 'ls', why: 'Look' }, TOOLS.claude)
  expect(call).toEqual({ name: 'Bash', input: { command: 'ls', description: 'Look' } })
})

test('Listing is a command where no tool lists, with the path quoted', () => {
  const call = toCall({ say: 's', role: 'list', path: "it's" }, TOOLS.claude)
  expect(call?.input['command']).toBe(String.raw`ls -a 'it'\''s'`)
})

test('A tool without a schema gets the first choice of field names', () => {
  const call = toCall({ say: 's', role: 'read', path: 'a' }, [{ name: 'read_file' }])
  expect(call).toEqual({ name: 'read_file', input: { path: 'a' } })
})

test('Nothing that writes is done by a command', () => {
  expect(toCall(edit, [{ name: 'Bash' }])).toBeUndefined()
})
