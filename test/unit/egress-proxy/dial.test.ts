import { expect, test } from 'vitest'

import { vet } from '../../../egress-proxy/dial.ts'

const own = new Set(['10.9.0.2', '8.8.4.4'])

function check(answers: string[], allowPrivate: string[] = []) {
  try {
    return vet(answers, allowPrivate, own)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

test.for<[string[], string[], string | string[]]>([
  [['8.8.8.8', '2606:4700::1'], [], ['8.8.8.8', '2606:4700::1']],
  [[], [], 'dns_failed'],
  [['127.0.0.1'], [], 'resolved_private'],
  [['8.8.8.8', '10.0.0.1'], [], 'resolved_private'],
  [['10.0.0.1', '8.8.8.8'], [], 'resolved_private'],
  [['8.8.8.8', '::ffff:127.0.0.1'], [], 'resolved_private'],
  [['10.20.0.1'], ['10.20.0.0/16'], ['10.20.0.1']],
  [['10.20.0.1', '10.21.0.1'], ['10.20.0.0/16'], 'resolved_private'],
  [['169.254.169.254'], ['0.0.0.0/0'], 'resolved_private'],
  [['10.9.0.2'], ['10.0.0.0/8'], 'self_connection'],
  [['8.8.4.4'], [], 'self_connection'],
  [['::ffff:10.9.0.2'], ['10.0.0.0/8'], 'self_connection'],
  [['::ffff:0:127.0.0.1'], ['127.0.0.0/8'], 'resolved_private'],
])('the answers %j with %j: %j', ([answers, allowPrivate, expected]) =>
  expect(check(answers, allowPrivate)).toEqual(expected),
)
