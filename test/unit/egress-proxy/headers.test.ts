import { describe, expect, test } from 'vitest'

import {
  faultInRequest,
  fieldsOf,
  forwardHeaders,
  gatewayHeaders,
  isResponseAmbiguous,
  responseHeaders,
} from '../../../egress-proxy/headers.ts'

const names = (flat: string[]) => fieldsOf(flat).map(([name]) => name)

const bearer = (value: string) => gatewayHeaders([], { header: 'authorization', value }).at(-1)

test.for([
  ['1.1', undefined],
  ['1.0', undefined],
  ['0.9', 'unsupported_protocol'],
  ['2.0', 'unsupported_protocol'],
] as const)('HTTP/%s: %s', ([version, expected]) =>
  expect(faultInRequest(version, ['Host', 'a.test'])).toBe(expected),
)

describe('a forwarded request', () => {
  test.for([
    'Host',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'Proxy-Connection',
    'proxy_authorization',
    'TE',
    'Trailer',
    'Transfer_Encoding',
    'Content_Length',
    'Upgrade',
    'HTTP2-Settings',
    'Expect',
    'X-Forwarded-For',
    'X_Forwarded_Host',
    'Forwarded',
    'Via',
    'X-Real-IP',
    'X-Upstream-Https-Proxy',
  ])('loses %s', (name) => expect(forwardHeaders([name, 'x'], { fixedMethods: false })).toEqual([]))

  test('keeps the rest as it was, in order, with repetitions', () => {
    const flat = [
      'Accept',
      '*/*',
      'Cookie',
      'a=b',
      'cookie',
      'c=d',
      'Authorization',
      'Bearer t',
      'Content-Length',
      '3',
    ]
    expect(forwardHeaders(flat, { fixedMethods: false })).toEqual(flat)
  })

  test('loses what Connection names', () => {
    const flat = ['Connection', 'X-Hop, close', 'x-hop', '1', 'X_Hop', '2', 'X-Stay', '3']
    expect(names(forwardHeaders(flat, { fixedMethods: false }))).toEqual(['X-Stay'])
  })

  test('loses method overrides where a rule fixes the methods', () => {
    const flat = ['X-HTTP-Method-Override', 'DELETE']
    expect(forwardHeaders(flat, { fixedMethods: true })).toEqual([])
    expect(forwardHeaders(flat, { fixedMethods: false })).toEqual(flat)
  })
})

describe('a request to a provider', () => {
  const credential = { header: 'x-api-key', value: 'real-key' }

  test.for([
    'authorization',
    'AUTHORIZATION',
    'x-api-key',
    'X_Api_Key',
    'x.api.key',
    'X-Goog-Api-Key',
    'X-Gemini-Api-Privileged-User-Id',
    'api-key',
    'Cookie',
    'Proxy-Authorization',
    'X-Forwarded-Host',
    'x-amz-security-token',
    'Host',
    'anthropic_beta',
  ])('does not carry the client’s %s', (name) => {
    expect(gatewayHeaders([name, 'mine'], credential).join()).not.toContain('mine')
  })

  test.for([
    'anthropic-beta',
    'anthropic-version',
    'x-stainless-lang',
    'openai-beta',
    'x-goog-api-client',
    'content-type',
    'user-agent',
    'accept',
  ])('carries %s', (name) =>
    expect(gatewayHeaders([name, 'value'], undefined).slice(0, 2)).toEqual([name, 'value']),
  )

  test('carries the route’s credential once', () => {
    expect(gatewayHeaders([], credential)).toEqual([
      'accept-encoding',
      'identity',
      'x-api-key',
      'real-key',
    ])
  })

  test('carries a bare key as a bearer token where the header is authorization', () => {
    expect([bearer('k'), bearer('Bearer k')]).toEqual(['Bearer k', 'Bearer k'])
  })
})

test('an answer loses hop-by-hop fields and a forged verdict', () => {
  const flat = [
    'Connection',
    'x-a',
    'X-A',
    '1',
    'Transfer-Encoding',
    'chunked',
    'X-Egress-Reason',
    'allowed',
    'Set-Cookie',
    'a',
    'Set-Cookie',
    'b',
  ]
  expect(responseHeaders(flat)).toEqual(['Set-Cookie', 'a', 'Set-Cookie', 'b'])
})

test.for<[string[], boolean]>([
  [['Content-Length', '3'], false],
  [['Transfer-Encoding', 'chunked'], false],
  [[], false],
  [['Content-Length', '3', 'content-length', '3'], true],
  [['Content-Length', '3', 'Transfer-Encoding', 'chunked'], true],
  [['Transfer-Encoding', 'gzip, chunked'], true],
])('an answer framed by %j is ambiguous: %s', ([flat, ambiguous]) =>
  expect(isResponseAmbiguous(flat)).toBe(ambiguous),
)
