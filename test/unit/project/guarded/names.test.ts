import { expect, test } from 'vitest'

import { judgeOf, MASKED, PROTECTED, type Patterns } from '../../../../src/project/guarded/names.ts'

const kindOf = (path: string, patterns: Patterns) => judgeOf(patterns)(path)
const usual = { mask: MASKED, unmask: [], protect: PROTECTED }

test.for([
  ['.env', 'secret'],
  ['a/b/.env', 'secret'],
  ['.env.local', 'secret'],
  ['production.env', 'secret'],
  ['deploy/id_ed25519', 'secret'],
  ['tls/server.key', 'secret'],
  ['.env.example', undefined],
  ['.env.sample', undefined],
  ['.env.template', undefined],
  ['id_ed25519.pub', undefined],
  ['environment.ts', undefined],
  ['keys.ts', undefined],
  ['.vscode', 'protected'],
  ['packages/a/.vscode', 'protected'],
  ['.envrc', 'protected'],
  ['sub/.envrc', 'protected'],
  ['.mcp.json', 'protected'],
  ['vscode', undefined],
] as const)('%s is %s', ([path, kind]) => {
  expect(kindOf(path, usual)).toBe(kind)
})

test('a pattern with a slash is a path of the project, one without is a name anywhere', () => {
  const own = { mask: ['config/*.secret', 'token'], unmask: ['test/.env'], protect: ['bin/**'] }
  expect(kindOf('config/a.secret', own)).toBe('secret')
  expect(kindOf('other/config/a.secret', own)).toBeUndefined()
  expect(kindOf('x/token', own)).toBe('secret')
  expect(kindOf('bin/run', own)).toBe('protected')
  const all = { mask: MASKED, unmask: ['test/.env'], protect: [] }
  expect(kindOf('test/.env', all)).toBeUndefined()
  expect(kindOf('.env', all)).toBe('secret')
})
