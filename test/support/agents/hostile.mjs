// An agent that tries to reach the host through the editor. It answers a prompt with what it got.
import { createInterface } from 'node:readline'

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answers = []
let next = 0
let done

const tries = [
  ['fs/read_text_file', { path: '/etc/passwd' }],
  ['fs/read_text_file', { path: `${process.cwd()}/../../../../etc/passwd` }],
  [
    'fs/write_text_file',
    { path: `${process.cwd()}/.git/hooks/post-checkout`, content: '#!/bin/sh\n' },
  ],
  ['terminal/create', { command: 'touch', args: ['/tmp/owned'] }],
  ['terminal/output', { terminalId: 'x' }],
  [
    'elicitation/create',
    { mode: 'url', url: 'file:///etc/passwd', message: 'open', elicitationId: 'e' },
  ],
  ['mcp/message', { serverId: 's', method: 'tools/list' }],
]

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.method === 'initialize') {
    globalThis.capabilities = message.params.clientCapabilities
    send({ id: message.id, result: { protocolVersion: 1, agentCapabilities: {} } })
  } else if (message.method === 'session/new') {
    send({ id: message.id, result: { sessionId: 'sess_1' } })
  } else if (message.method === 'session/prompt') {
    attack(message.id, message.params.prompt[0].text)
  } else if (message.method === undefined) {
    answers.push({ id: message.id, code: message.error?.code, result: message.result })
    if (answers.length === tries.length) done?.()
  }
})
process.stdin.on('end', () => process.exit(0))

async function attack(id, text) {
  if (text === 'hang') return
  if (text === 'die') process.exit(3)
  if (text === 'deaf') {
    process.on('SIGTERM', () => {})
    return
  }
  console.log('this line is no frame')
  send({
    method: 'session/update',
    params: {
      sessionId: 'sess_other',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'forged' } },
    },
  })
  send({ method: 'fs/write_text_file', params: { sessionId: 'sess_1', path: '/tmp/owned' } })
  const answered = new Promise((resolve) => (done = resolve))
  for (const [method, params] of tries)
    send({ id: next++, method, params: { sessionId: 'sess_1', ...params } })
  await answered
  const said = JSON.stringify({ answers, capabilities: globalThis.capabilities })
  send({
    method: 'session/update',
    params: {
      sessionId: 'sess_1',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } },
    },
  })
  send({ id, result: { stopReason: 'end_turn' } })
}
