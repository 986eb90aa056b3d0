import { expect, test } from 'vitest'

import { explain } from '../../../egress-proxy/control/explain.ts'
import { limitsFrom } from '../../../egress-proxy/limits.ts'
import { Refusal, sentenceFor } from '../../../egress-proxy/reasons.ts'
import { refusalOf } from '../../../egress-proxy/upstream-fault.ts'

test('a refusal that a rule would lift names the target and says where rules are', () => {
  const sentence = sentenceFor('host_not_allowed', 'evil.test:443')
  expect(sentence).toContain('evil.test:443')
  expect(sentence).toContain('egress.rules')
  expect(sentenceFor('bad_framing', 'a.test')).not.toContain('egress.rules')
})

const fault = (code: string, message = 'x') => Object.assign(new Error(message), { code })

test.for([
  [new Refusal('dns_timeout'), 'dns_timeout', 504],
  [new Error('x', { cause: new Refusal('resolved_private') }), 'resolved_private', 403],
  [fault('UND_ERR_HEADERS_TIMEOUT'), 'upstream_timeout', 504],
  [fault('UND_ERR_BODY_TIMEOUT'), 'upstream_timeout', 504],
  [fault('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'upstream_protocol_error', 502],
  [fault('UND_ERR_HEADERS_OVERFLOW'), 'upstream_protocol_error', 502],
  [fault('UND_ERR_SOCKET', 'bad upgrade'), 'unsolicited_101', 502],
  [fault('UND_ERR_SOCKET', 'other side closed'), 'upstream_truncated', 502],
  [fault('UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'), 'bad_framing', 400],
  ['not an error', 'upstream_truncated', 502],
] as const)('%s becomes %s', ([error, reason, status]) => {
  const refusal = refusalOf(error)
  expect([refusal.reason, refusal.status]).toEqual([reason, status])
})

test('limits that are not asked for keep their defaults', () => {
  const limits = limitsFrom({ tunnels: 3, requests: undefined })
  expect([limits.tunnels, limits.requests, limits.header_bytes]).toEqual([3, 256, 16_384])
  expect(limitsFrom(undefined).tunnels).toBe(256)
})

const issue = (key: string) => ({ path: ['rules', 0, key], message: 'expected a number' })

test('a fault of a configuration is told by key and expectation, three at most', () => {
  expect(explain([issue('ports')])).toBe('rules.0.ports: expected a number')
  expect(explain(['a', 'b', 'c', 'd'].map(issue)).split(';')).toHaveLength(3)
  expect(explain([{ path: [], message: 'expected an object' }])).toBe(
    'the message: expected an object',
  )
})
