import { expect, test } from 'vitest'

import {
  covered,
  narrowRule,
  ruleText,
  touching,
} from '../../../../../container/agent/permission/rules.ts'
import type { Rule, Subject } from '../../../../../container/agent/permission/rules.ts'

const command = (text: string): Subject => ({
  tool: 'run_command',
  need: { access: 'command', command: text },
  realRoot: '/p',
})
const edit = (path: string): Subject => ({
  tool: 'edit_file',
  need: { access: 'edit', path: `/p/${path}` },
  realRoot: '/p',
})
const run = (pattern: string): Rule => ({ tool: 'run_command', pattern })

test.for([
  ['npm test', ['npm *'], true],
  ['npm test && npm run lint', ['npm *'], true],
  ['npm test && rm -r x', ['npm *'], false],
  ['npm test $(rm x)', ['npm *'], false],
  ['npm test | tail', ['npm *', 'tail*'], true],
  ['npm test > ~/.bashrc', ['npm *'], false],
  ['npm test\nrm x', ['npm *'], false],
  ['xnpm test', ['npm *'], false],
  ['npm test', ['npm.test'], false],
] as const)('[perm.rules] %j under the rules %j is covered: %j', ([text, patterns, expected]) => {
  expect(covered(patterns.map(run), command(text))).toBe(expected)
})

test.for([
  ['src/a.ts', 'src/*.ts', true],
  ['src/deep/a.ts', 'src/*.ts', false],
  ['src/deep/a.ts', 'src/**/*.ts', true],
  ['src/a.ts', 'src/**/*.ts', true],
  ['src/a.ts', 'src/?.ts', true],
  ['src/a.tsx', 'src/?.ts', false],
  ['a.ts', '**', true],
] as const)(
  '[perm.rules] the path %s under the glob %s is covered: %j',
  ([path, pattern, expected]) => {
    expect(covered([{ tool: 'edit_file', pattern }], edit(path))).toBe(expected)
  },
)

test('the narrow rule of a command is its very text: a star in it is a star', () => {
  const rule = narrowRule(command('rm *'))
  expect(ruleText(rule)).toBe('run_command(rm *)')
  expect(covered([rule], command('rm *'))).toBe(true)
  expect(covered([rule], command('rm -r /'))).toBe(false)
})

test('the narrow rule of a line with constructs covers just that line', () => {
  const line = 'for f in *; do cat $f; done > all'
  expect(covered([narrowRule(command(line))], command(line))).toBe(true)
  expect(covered([narrowRule(command(line))], command(`${line}; rm x`))).toBe(false)
})

test('a tool name that ends in a star names all that begin so', () => {
  const subject: Subject = { tool: 'mcp__git__log', need: { access: 'none' }, realRoot: '/p' }
  expect(covered([{ tool: 'mcp__git__*' }], subject)).toBe(true)
  expect(covered([{ tool: 'mcp__web__*' }], subject)).toBe(false)
})

test('a deny rule meets any part of a line, also inside a substitution', () => {
  const rules = [run('rm *')]
  expect(touching(rules, command('echo $(rm x)'))).toBe(rules[0])
  expect(touching(rules, command('echo rm x'))).toBeUndefined()
})
