import { expect, test } from 'vitest'

import { reasonForParseError } from '../../../egress-proxy/parse-fault.ts'

test.for([
  ['HPE_HEADER_OVERFLOW', '', 'header_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '', 'header_timeout'],
  ['HPE_INVALID_METHOD', 'FOO http://a.test/ HTTP/1.1\r\n', 'method_not_allowed'],
  ['HPE_INVALID_METHOD', 'GET\thttp://a.test/ HTTP/1.1\r\n', 'bad_framing'],
  ['HPE_INVALID_METHOD', '\u0005\u0001\u0000', 'unsupported_protocol'],
  ['HPE_INVALID_METHOD', '\u0016\u0003\u0001\u0002', 'unsupported_protocol'],
  ['HPE_PAUSED_H2_UPGRADE', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'unsupported_protocol'],
  ['HPE_INVALID_URL', 'GET http://evil.test\u0000.wild.test/ HTTP/1.1\r\n', 'malformed_host'],
  ['HPE_INVALID_URL', 'GET http://evil.test#@a.test/ HTTP/1.1\r\n', 'malformed_target'],
  ['HPE_INVALID_URL', 'GET http://allow\u00e9d.test/ HTTP/1.1\r\n', 'malformed_target'],
  ['HPE_INVALID_CONTENT_LENGTH', 'POST', 'bad_framing'],
  ['', '', 'bad_framing'],
] as const)('%s on %j is %s', ([code, text, reason]) => {
  const rawPacket = Buffer.from(text, 'latin1')
  expect(reasonForParseError(Object.assign(new Error('x'), { code, rawPacket }))).toBe(reason)
})
