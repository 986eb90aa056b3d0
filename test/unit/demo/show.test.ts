import { expect, test } from 'vitest'

import { checkList, decisionTable } from '../../../src/demo/show.ts'

test('Each check has a mark of its own', () => {
  const checks = [
    { what: 'interfaces', found: 'lo', ok: true },
    { what: 'routes', ok: false },
  ]
  expect(checkList(checks, (style, text) => `<${style}>${text}`)).toBe(
    '<good>✔ interfaces  lo\n<bad>✖ routes\n',
  )
})

test('The decisions have a line each below their heading', () => {
  const row = { verdict: 'deny', what: 'http example.com:80', reason: 'host_not_allowed', times: 2 }
  expect(decisionTable([row]).split('\n')[1]).toBe(
    'deny     http example.com:80  host_not_allowed  2×',
  )
})
