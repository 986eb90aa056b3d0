import { expect, test } from 'vitest'

import { createAudit } from '../../../egress-proxy/audit.ts'
import { namesFrom, recordRefusedNames } from '../../../egress-proxy/control/names.ts'
import type { Close, Decision } from '../../../egress-proxy/messages.ts'
import type { EgressRule } from '../../../egress-proxy/policy.ts'

function recorder() {
  const records: (Decision | Close)[] = []
  const send = (record: Decision | Close) => void records.push(record)
  return { records, audit: createAudit({ send, isBlocked: () => false, turn: () => 't1' }) }
}

test('init hears of hosts and ports, and of what is denied', () => {
  const rule: EgressRule = { id: 'a', host: 'a.test', ports: [443], protocol: 'tls' }
  expect(namesFrom({ rules: [rule], deny: [{ host: 'b.test' }] })).toEqual({
    type: 'names',
    rules: [{ host: 'a.test', ports: [443] }],
    deny: [{ host: 'b.test' }],
  })
})

test('a refused name is a decision of its turn, without control characters and cut', () => {
  const { records, audit } = recorder()
  expect(
    recordRefusedNames(audit, { type: 'name-refused', name: `e\u001b${'x'.repeat(9_999)}` }),
  ).toBe(true)
  expect(records).toMatchObject([
    { kind: 'dns', verdict: 'deny', reason: 'host_not_allowed', turn: 't1' },
  ])
  expect(records[0]).toHaveProperty('host', `e�${'x'.repeat(510)}…`)
})

test('what was too much to tell one by one is one decision with a number', () => {
  const { records, audit } = recorder()
  expect(recordRefusedNames(audit, { type: 'names-refused', count: 12 })).toBe(true)
  expect(records).toMatchObject([{ kind: 'dns', verdict: 'deny', count: 12 }])
})

test.for([
  { type: 'name-refused' },
  { type: 'name-refused', name: { toString: 'x' } },
  { type: 'names-refused', count: '12' },
  { type: 'names-refused', count: 1e300 },
])('%j is taken and not recorded', (message) => {
  const { records, audit } = recorder()
  expect(recordRefusedNames(audit, message)).toBe(true)
  expect(records).toEqual([])
})

test('other messages are left to others', () => {
  expect(recordRefusedNames(recorder().audit, { type: 'agent-started', pid: 1 })).toBe(false)
})
