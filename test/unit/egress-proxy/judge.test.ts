import { describe, expect, test } from 'vitest'

import { policyFrom } from '../../../egress-proxy/decide.ts'
import { faultInUpgrade, judgeRequest } from '../../../egress-proxy/judge.ts'

const policy = policyFrom(
  {
    rules: [{ id: 'plain', host: 'plain.allowed.test', ports: [80, 8080], protocol: 'http' }],
    deny: [],
    gateway: [],
  },
  'box',
)

function judge(url: string, headers: string[] = ['Host', 'plain.allowed.test'], version = '1.1') {
  const judged = judgeRequest(policy, { method: 'GET', url, version, headers })
  return judged.ok
    ? `${judged.authority.host.text}:${judged.authority.port}${judged.path}${judged.search}`
    : judged.reason
}

const TARGET = 'http://plain.allowed.test/x'

describe('the target', () => {
  test.for([
    [TARGET, 'plain.allowed.test:80/x'],
    ['HTTP://plain.allowed.test/x', 'plain.allowed.test:80/x'],
    ['http://plain.allowed.test', 'plain.allowed.test:80/'],
    ['http://plain.allowed.test?a=/../b', 'plain.allowed.test:80/?a=/../b'],
    ['http://plain.allowed.test/x?y=//z', 'plain.allowed.test:80/x?y=//z'],
    ['http://plain.allowed.test@evil.test/x', 'host_not_allowed'],
    ['http://u:p@plain.allowed.test/x', 'userinfo_in_target'],
    ['http://@plain.allowed.test/x', 'userinfo_in_target'],
    ['http://evil.test#@plain.allowed.test/x', 'malformed_target'],
    ['http://evil%2etest/x', 'host_not_allowed'],
    ['http://plain%2eallowed.test/x', 'malformed_host'],
    ['http://[evil.test]/x', 'malformed_host'],
    ['http:///x', 'malformed_host'],
    ['http:/plain.allowed.test/x', 'malformed_target'],
    ['http:plain.allowed.test/x', 'malformed_target'],
    ['https://plain.allowed.test/x', 'scheme_not_allowed'],
    ['ftp://plain.allowed.test/x', 'scheme_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['/x', 'not_absolute_form'],
    ['*', 'not_absolute_form'],
    ['//evil.test/x', 'malformed_target'],
    ['plain.allowed.test/x', 'malformed_target'],
    ['http://plain.allowed.test:80:80/x', 'malformed_authority'],
    ['http://plain.allowed.test:0/x', 'malformed_authority'],
    ['http://plain.allowed.test:/x', 'malformed_authority'],
    ['http://évil.test/x', 'malformed_target'],
  ] as const)('%s: %s', ([url, expected]) => expect(judge(url)).toBe(expected))
})

describe('the Host field', () => {
  test.for<[string[], string]>([
    [['Host', 'plain.allowed.test'], 'plain.allowed.test:80/x'],
    [['host', 'PLAIN.allowed.test.:80'], 'plain.allowed.test:80/x'],
    [['Host', 'evil.test'], 'host_mismatch'],
    [['Host', 'plain.allowed.test:8080'], 'host_mismatch'],
    [['Host', 'plain.allowed.test:'], 'host_mismatch'],
    [['Host', '[plain.allowed.test]'], 'host_mismatch'],
    [['Host', 'plain%2eallowed.test'], 'host_mismatch'],
    [['Host', ''], 'host_mismatch'],
    [['Host', 'plain.allowed.test', 'HOST', 'plain.allowed.test'], 'duplicate_host'],
    [[], 'missing_host'],
  ])('%j: %s', ([headers, expected]) => expect(judge(TARGET, headers)).toBe(expected))

  test('may be missing in HTTP/1.0', () => {
    expect(judge(TARGET, [], '1.0')).toBe('plain.allowed.test:80/x')
  })
})

describe('the framing', () => {
  const host = ['Host', 'plain.allowed.test']
  test.for<[string[], string]>([
    [['Connection', 'close, Host'], 'bad_connection_header'],
    [['Connection', 'content_length'], 'bad_connection_header'],
    [['Connection', 'Transfer-Encoding'], 'bad_connection_header'],
    [['Transfer-Encoding', 'gzip, chunked'], 'bad_framing'],
    [['Transfer-Encoding', 'chunked', 'transfer-encoding', 'chunked'], 'bad_framing'],
    [['Transfer-Encoding', 'chunked', 'Content-Length', '3'], 'bad_framing'],
    [['Content-Length', '3', 'Content-Length', '3'], 'bad_framing'],
    [['Transfer-Encoding', 'chunked', 'Trailer', 'Host'], 'bad_framing'],
    [['Transfer-Encoding', 'chunked', 'Trailer', 'X-Sum'], 'plain.allowed.test:80/x'],
    [['Connection', 'keep-alive'], 'plain.allowed.test:80/x'],
  ])('%j: %s', ([headers, expected]) => expect(judge(TARGET, [...host, ...headers])).toBe(expected))

  test('has no chunks in HTTP/1.0', () => {
    expect(judge(TARGET, [...host, 'Transfer-Encoding', 'chunked'], '1.0')).toBe('bad_framing')
  })
})

describe('inside a tunnel', () => {
  const host = { kind: 'name', text: 'plain.allowed.test', plain: true } as const
  const inside = (url: string, hostField: string) => {
    const headers = ['Host', hostField]
    const facts = { method: 'GET', url, version: '1.1', headers }
    const judged = judgeRequest(policy, facts, { host, port: 80 })
    return judged.ok ? 'allowed' : judged.reason
  }
  test.for([
    ['/x', 'plain.allowed.test', 'allowed'],
    ['/x', 'evil.test', 'host_mismatch'],
    ['/../x', 'plain.allowed.test', 'path_not_canonical'],
    [TARGET, 'plain.allowed.test', 'allowed'],
    ['http://evil.test/x', 'evil.test', 'host_mismatch'],
  ] as const)('%s with Host %s: %s', ([url, field, expected]) =>
    expect(inside(url, field)).toBe(expected),
  )
})

const fault = (method: string, headers: string[]) =>
  faultInUpgrade({ method, url: '/ws', version: '1.1', headers })

describe('a WebSocket handshake', () => {
  const good = ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version', '13']
  test('is a GET with one key and version 13', () => {
    expect(fault('GET', good)).toBeUndefined()
    expect(fault('POST', good)).toBe(400)
    expect(fault('GET', [...good, ...good.slice(0, 2)])).toBe(400)
    expect(fault('GET', good.slice(2))).toBe(400)
    expect(fault('GET', [...good.slice(0, 3), '1337'])).toBe(426)
    expect(fault('GET', [...good, 'Content-Length', '5'])).toBe(400)
  })
})
