import { expect, test } from 'vitest'

import { createAudit } from '../../../egress-proxy/audit.ts'
import type { Close, Decision } from '../../../egress-proxy/messages.ts'

function setUp() {
  const records: (Decision | Close)[] = []
  const state = { blocked: false, turn: 'turn-1' }
  const audit = createAudit({
    send: (record) => records.push(record),
    isBlocked: () => state.blocked,
    turn: () => state.turn,
  })
  return { records, state, audit }
}

test('a flow has one decision and, when allowed, one close', () => {
  const { records, audit } = setUp()
  const flow = audit.open({ kind: 'http', method: 'GET', host: 'a.test', port: 80, path: '/x' })
  flow.allow('rule')
  flow.deny('host_not_allowed')
  flow.close({ reason: 'closed', status: 200, up: 1, down: 2, usage: { input_tokens: 3 } })
  flow.close({ reason: 'client_abort' })
  expect(records).toEqual([
    {
      type: 'decision',
      id: 'e1',
      kind: 'http',
      turn: 'turn-1',
      verdict: 'allow',
      reason: 'allowed',
      rule: 'rule',
      method: 'GET',
      host: 'a.test',
      port: 80,
      path: '/x',
    },
    {
      type: 'close',
      id: 'e1',
      turn: 'turn-1',
      reason: 'closed',
      status: 200,
      bytes_up: 1,
      bytes_down: 2,
      duration_ms: expect.any(Number),
      usage: { input_tokens: 3 },
    },
  ])
})

test('a denied flow has no close', () => {
  const { records, audit } = setUp()
  const flow = audit.open({ kind: 'connect', host: 'evil.test' })
  flow.deny('host_not_allowed')
  flow.close({ reason: 'closed' })
  expect(records).toHaveLength(1)
})

test('fields are cut and carry no control characters', () => {
  const { records, audit } = setUp()
  audit
    .open({ kind: 'http', path: `/\u001b[2J\u2028\u202e${'x'.repeat(10_000)}` })
    .deny('bad_framing')
  const line = JSON.stringify(records[0])
  expect(line.length).toBeLessThan(1_000)
  expect(line).not.toMatch(/\\u001b|\u2028|\u202e/)
})

test('while the log is blocked only the first refusal is recorded', () => {
  const { records, state, audit } = setUp()
  const open = audit.open({ kind: 'http' })
  open.allow('r')
  state.blocked = true
  for (let count = 0; count < 5; count += 1) audit.open({ kind: 'http' }).deny('backpressure')
  open.close({ reason: 'closed' })
  state.blocked = false
  audit.open({ kind: 'http' }).deny('host_not_allowed')
  expect(records.map((record) => record.reason)).toEqual([
    'allowed',
    'backpressure',
    'closed',
    'host_not_allowed',
  ])
})
