import { expect, test } from 'vitest'

import { contentLabel } from '../../../src/images/content-label.ts'

const dockerfile = { name: 'Dockerfile', content: 'FROM x' }
const init = { name: 'dist/image/init.mjs', content: 'init' }
const inputs = [dockerfile, init]

const ofTwo = (first: string, second: string) =>
  contentLabel('', [
    { name: 'a', content: first },
    { name: 'b', content: second },
  ])

test('The label is 64 hexadecimal digits and does not depend on the order of the inputs.', () => {
  expect(contentLabel('sha256:a', inputs)).toMatch(/^[0-9a-f]{64}$/)
  expect(contentLabel('sha256:a', inputs.toReversed())).toBe(contentLabel('sha256:a', inputs))
})

test.for([
  ['another base', 'sha256:b', inputs],
  ['one input less', 'sha256:a', inputs.slice(1)],
  ['changed content', 'sha256:a', [dockerfile, { ...init, content: 'Init' }]],
  ['another name', 'sha256:a', [dockerfile, { ...init, name: 'dist/image/agent.mjs' }]],
] as const)('The label changes with %s.', ([, base, changed]) => {
  expect(contentLabel(base, [...changed])).not.toBe(contentLabel('sha256:a', inputs))
})

test('Content moved from one input to the next gives another label.', () => {
  expect(ofTwo('one', 'two')).not.toBe(ofTwo('onet', 'wo'))
})
