import { expect, test } from 'vitest'

import { commandParts } from '../../../../../container/agent/permission/command-parts.ts'

test.for([
  ['npm test', ['npm test']],
  ['a && b || c; d | e & f', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['a\nb', ['a', 'b']],
  ['echo "a && b" \'c; d\' e\\;f', ['echo "a && b" \'c; d\' e\\;f']],
  ['echo $(rm -r x)', ['rm -r x', 'echo $(rm -r x)']],
  ['echo "see $(rm x) `rm y`"', ['rm x', 'rm y', 'echo "see $(rm x) `rm y`"']],
  ['echo `rm x`', ['rm x', 'echo `rm x`']],
  ['diff <(a) <(b)', ['a', 'b', 'diff <(a) <(b)']],
  ['(cd x && make)', ['cd x', 'make']],
  ['make 2>&1 | tee', ['make 2>&1', 'tee']],
  ['make > /dev/null', ['make > /dev/null']],
  ['', []],
] as const)('%j has the parts %j', ([command, parts]) => {
  const read = commandParts(command)
  expect(read.certain).toBe(true)
  expect(new Set(read.parts)).toEqual(new Set(parts))
})

test.for([
  'if true; then rm x; fi',
  'for f in *; do rm $f; done',
  'cat <<EOF\nrm x\nEOF',
  'echo "open',
  "echo 'open",
  'echo $(open',
  'echo hi > file',
  'echo hi >> ~/.bashrc',
  'npm test &> /etc/x',
  'ls # rm',
  'a )',
  '{ rm x; }',
])('%j is not followed for certain', (command) => {
  expect(commandParts(command).certain).toBe(false)
})
