/** Why the HTTP parser gave up on a connection's bytes. Pure. */
import type { Reason } from './reasons.ts'

/** What node:http hands to `clientError`. */
export type ParseError = Error & { code?: string; rawPacket?: Buffer; bytesParsed?: number }

/** The reason code for what llhttp, or a timer, rejected. */
export function reasonForParseError(error: ParseError): Reason {
  const code = error.code ?? ''
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return 'header_too_large'
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'header_timeout'
  const line = requestLine(error)
  if (code === 'HPE_PAUSED_H2_UPGRADE' || line.startsWith('PRI ')) return 'unsupported_protocol'
  if (code === 'HPE_INVALID_METHOD') {
    if (/^[A-Za-z]+\t/.test(line)) return 'bad_framing'
    return /^[A-Za-z]+ /.test(line) ? 'method_not_allowed' : 'unsupported_protocol'
  }
  if (code === 'HPE_INVALID_URL') return reasonForUrl(line)
  return 'bad_framing'
}

/** The first line of the message that failed, as latin1; several may share a packet. */
function requestLine({ rawPacket, bytesParsed }: ParseError): string {
  if (rawPacket === undefined) return ''
  const before = rawPacket.lastIndexOf('\r\n\r\n', Math.max(0, (bytesParsed ?? 0) - 1))
  const start = before === -1 ? 0 : before + 4
  const text = rawPacket.toString('latin1', start, start + 4_096)
  return text.split('\r\n', 1)[0] ?? ''
}

function reasonForUrl(line: string): Reason {
  const authority = /^\S+ [a-z]+:\/\/([^/?#]*)/i.exec(line)?.[1] ?? ''
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\x00-\x1f\x7f]/.test(authority) ? 'malformed_host' : 'malformed_target'
}
