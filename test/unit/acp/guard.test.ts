import { describe, expect, it, test } from 'vitest'

import { parseFrame, type Frame } from '../../../src/acp/frame.ts'
import { judgeAgentFrame, maskInitialize } from '../../../src/acp/guard.ts'

const judge = (message: unknown): string => {
  const frame = parseFrame(Buffer.from(JSON.stringify(message))) as Frame
  return judgeAgentFrame(frame, (id) => id === 'mine').verdict
}

describe('judgeAgentFrame', () => {
  test.for<[string, unknown, string]>([
    ['fs/read_text_file', { sessionId: 'mine', path: '/etc/passwd' }, 'refuse'],
    ['fs/read_text_file', { sessionId: 'mine', path: '/project/../etc/passwd' }, 'refuse'],
    [
      'fs/write_text_file',
      { sessionId: 'mine', path: '/project/.git/hooks/x', content: '' },
      'refuse',
    ],
    ['terminal/create', { sessionId: 'mine', command: 'sh' }, 'refuse'],
    ['terminal/output', { sessionId: 'mine', terminalId: 't' }, 'refuse'],
    ['mcp/message', { serverId: 'x' }, 'refuse'],
    ['elicitation/create', { sessionId: 'mine', mode: 'url', url: 'file:///etc/passwd' }, 'refuse'],
    ['elicitation/create', { sessionId: 'mine', mode: 'form' }, 'forward'],
    ['elicitation/create', { sessionId: 'mine', url: 'file:///etc/passwd' }, 'refuse'],
    ['elicitation/create', { sessionId: 'mine', mode: 'form', url: 'https://x.test' }, 'refuse'],
    ['elicitation/create', { sessionId: 'mine', mode: 'form', URL: 'https://x.test' }, 'refuse'],
    ['session/request_permission', { sessionId: 'mine' }, 'forward'],
    ['session/request_permission', { sessionId: 'other' }, 'refuse'],
    ['_vendor/thing', { a: 1 }, 'forward'],
    ['_vendor/thing', { sessionId: 'other' }, 'refuse'],
  ])('a request %s %j → %s', ([method, params, verdict]) => {
    expect(judge({ jsonrpc: '2.0', id: 1, method, params })).toBe(verdict)
  })

  test.for<[string, unknown, string]>([
    ['session/update', { sessionId: 'mine', update: {} }, 'forward'],
    ['session/update', { sessionId: 'other', update: {} }, 'drop'],
    ['fs/write_text_file', { sessionId: 'mine' }, 'drop'],
    ['_auth/status_update', {}, 'forward'],
  ])('a notification %s %j → %s', ([method, params, verdict]) => {
    expect(judge({ jsonrpc: '2.0', method, params })).toBe(verdict)
  })
})

describe('maskInitialize', () => {
  it('takes away what reaches the host and keeps the rest', () => {
    const masked = maskInitialize({
      protocolVersion: 2,
      clientInfo: { name: 'zed' },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        auth: { terminal: true },
        elicitation: { form: {}, url: {} },
        session: { configOptions: { boolean: {} } },
        _meta: { terminal_output: true, 'terminal-auth': true },
      },
    })
    expect(masked).toEqual({
      protocolVersion: 1,
      clientInfo: { name: 'zed' },
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
        session: { configOptions: { boolean: {} } },
        _meta: { terminal_output: true },
      },
    })
  })

  it('grants nothing to an editor that sent no capabilities', () => {
    expect(maskInitialize({})).toEqual({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
  })
})
