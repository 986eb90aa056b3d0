import { expect, test } from 'vitest'

import { decide } from '../../../../../container/agent/permission/decide.ts'
import type { Rules } from '../../../../../container/agent/permission/decide.ts'
import { MODES } from '../../../../../container/agent/permission/modes.ts'
import type { Need } from '../../../../../container/agent/permission/need.ts'
import type { Rule } from '../../../../../container/agent/permission/rules.ts'

const NONE: Rules = { allow: [], deny: [] }

function judge(
  tool: string,
  need: Need,
  mode: (typeof MODES)[number]['id'],
  rules: Partial<Rules>,
) {
  return decide({ tool, need, realRoot: '/p' }, mode, { ...NONE, ...rules })
}
const edit = (path: string): Need => ({ access: 'edit', path })
const read = (path: string): Need => ({ access: 'read', path })
const command = (text: string): Need => ({ access: 'command', command: text })

test.for([
  ['ask', 'ask', 'ask'],
  ['plan', 'deny', 'deny'],
  ['build', 'ask', 'allow'],
  ['accept-edits', 'allow', 'allow'],
] as const)(
  '[perm.order] mode %s: an edit is %s, a command is %s; reading is allowed',
  ([mode, edits, commands]) => {
    expect(judge('edit_file', edit('/p/a'), mode, {}).outcome).toBe(edits)
    expect(judge('run_command', command('ls'), mode, {}).outcome).toBe(commands)
    expect(judge('read_file', read('/etc/hosts'), mode, {}).outcome).toBe('allow')
    expect(judge('update_plan', { access: 'none' }, mode, {}).outcome).toBe('allow')
  },
)

test.for([
  '/p/.env',
  '/p/sub/.env.local',
  '/p/.ENV',
  '/p/key.pem',
  '/home/agent/.ssh/config',
  '/p/.aws/credentials',
  '/p/id_ed25519',
  '/proc/1/environ',
  '/proc/self/mem',
])('%s may hold secrets: it is denied, unless a rule names it', (path) => {
  for (const mode of MODES) expect(judge('read_file', read(path), mode.id, {}).outcome).toBe('deny')
  const everything: Rule = { tool: 'read_file' }
  expect(judge('read_file', read(path), 'ask', { allow: [everything] }).outcome).toBe('deny')
  const pattern = path.replace('/p/', '')
  expect(
    judge('read_file', read(path), 'ask', { allow: [{ tool: 'read_file', pattern }] }),
  ).toEqual({
    outcome: 'allow',
  })
})

test.for(['/p/.env.example', '/p/environment.ts', '/p/.gitignore', '/p/keys.ts', '/proc/cpuinfo'])(
  '%s is no secret',
  (path) => {
    expect(judge('read_file', read(path), 'ask', {}).outcome).toBe('allow')
  },
)

test.for(['/p/.git/config', '/p/sub/.git/hooks/x', '/other', '/p-other/a', '/p/../etc/x', '/'])(
  'a write to %s is denied in every mode and by every rule',
  (path) => {
    const allow = [{ tool: 'edit_file' }, { tool: 'edit_file', pattern: '**' }]
    for (const mode of MODES)
      expect(judge('edit_file', edit(path), mode.id, { allow }).outcome).toBe('deny')
  },
)

test('a deny rule goes before an allow rule and before the mode', () => {
  const rule = { tool: 'run_command', pattern: 'rm *' }
  const rules = { allow: [{ tool: 'run_command' }], deny: [rule] }
  expect(judge('run_command', command('ls && rm -r x'), 'build', rules)).toEqual({
    outcome: 'deny',
    reason: 'the rule run_command(rm *) denies it',
  })
  expect(judge('run_command', command('ls'), 'ask', rules)).toEqual({ outcome: 'allow' })
})

test('a rule cannot allow an edit in plan mode', () => {
  expect(judge('edit_file', edit('/p/a'), 'plan', { allow: [{ tool: 'edit_file' }] }).outcome).toBe(
    'deny',
  )
})

test('the question carries the narrowest rule', () => {
  expect(judge('edit_file', edit('/p/src/a.ts'), 'ask', {})).toEqual({
    outcome: 'ask',
    rule: { tool: 'edit_file', pattern: 'src/a.ts', exact: true },
  })
})
