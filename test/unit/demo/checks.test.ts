import { expect, test } from 'vitest'

import type { ToolCallRecord } from '../../../src/client/turn-record.ts'
import { checksOf } from '../../../src/demo/checks.ts'
import type { Outcome } from '../../../src/demo/checks.ts'

const run = (toolCallId: string, output: string): ToolCallRecord => ({
  toolCallId,
  title: '$ node --test',
  kind: 'execute',
  status: 'completed',
  locations: [],
  content: [{ type: 'content', content: { type: 'text', text: output } }],
})

const FAILING = run('1', 'ℹ pass 0\nℹ fail 1\n')
const PASSING = run('2', '# pass 1\n# fail 0\n')
const EDIT = { kind: 'edit', title: 'Edit a.js', hadDiff: true, answer: 'allow_once' }
const REQUEST = {
  type: 'request' as const,
  method: 'POST',
  path: '/v1/messages',
  key: 'match',
  status: 200,
}
const ALLOWED = {
  verdict: 'allow',
  what: 'gateway POST 10.0.0.2:8080/v1/messages',
  reason: 'allowed',
  times: 5,
}
const DENIED = {
  verdict: 'deny',
  what: 'http GET example.com:80/',
  reason: 'host_not_allowed',
  times: 1,
}

const GOOD: Outcome = {
  stopReason: 'end_turn',
  toolCalls: [FAILING, PASSING],
  answers: [EDIT],
  before: 'a - b',
  after: 'a + b',
  owner: { uid: 1000, gid: 1000 },
  fileOwner: { uid: 1000, gid: 1000 },
  decisions: [ALLOWED, DENIED],
  forbiddenHost: 'example.com',
  requests: [REQUEST],
  auditProblems: 0,
  leftovers: 0,
}

const failing = (outcome: Partial<Outcome>) =>
  checksOf({ ...GOOD, ...outcome })
    .filter(({ ok }) => !ok)
    .map(({ what }) => what)

test('A demo in which all went as claimed has no failing check', () => {
  expect(failing({})).toEqual([])
  expect(failing({ requests: undefined })).toEqual([])
})

test.for<[Partial<Outcome>, string]>([
  [{ stopReason: 'max_turn_requests' }, 'the agent ended its turn'],
  [{ toolCalls: [PASSING] }, 'the test failed at first'],
  [{ toolCalls: [FAILING] }, 'the test passes now (0 passed, 1 failed)'],
  [{ toolCalls: [PASSING, FAILING].slice(0, 1) }, 'the test failed at first'],
  [{ toolCalls: [FAILING, run('3', '# pass 0\n# fail 0\n')] }, 'the test passes now'],
  [{ answers: [{ ...EDIT, hadDiff: false }] }, 'the edit was asked for'],
  [{ answers: [{ ...EDIT, answer: 'reject_once' }] }, 'the edit was asked for'],
  [{ answers: [] }, 'the edit was asked for'],
  [{ after: 'a - b' }, 'the file changed on the host'],
  [{ fileOwner: { uid: 0, gid: 0 } }, "belongs to the project's owner (0:0)"],
  [{ decisions: [DENIED] }, 'model traffic went through the gateway'],
  [{ decisions: [ALLOWED] }, 'the attempt to reach example.com was denied'],
  [{ requests: [REQUEST, { ...REQUEST, key: 'absent' }] }, 'the model saw its real key (1 of 2'],
  [{ requests: [] }, 'the model saw its real key'],
  [{ auditProblems: 1 }, 'the audit log is whole'],
  [{ leftovers: 2 }, 'nothing of the session is left'],
])('%j fails one check: %s', ([outcome, what]) => {
  expect(failing(outcome)).toEqual([expect.stringContaining(what)])
})

test('Without any test report both claims about the test fail', () => {
  expect(failing({ toolCalls: [] })).toEqual([
    'the test failed at first (no report)',
    'the test passes now (no report)',
  ])
})
