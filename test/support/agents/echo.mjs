// An agent for measurements: answers every request at once, and floods when asked to.
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) answer(JSON.parse(line))
})
process.stdin.on('end', () => process.exit(0))

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

async function answer({ id, method, params }) {
  if (id === undefined) return
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  else if (method === 'session/new') send({ id, result: { sessionId: 'sess_echo' } })
  else if (method === '_bench/flood') {
    const update = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'x'.repeat(params.size) },
    }
    for (let n = 0; n < params.count; n += 1) {
      if (!send({ method: 'session/update', params: { sessionId: 'sess_echo', update } }))
        await new Promise((resolve) => process.stdout.once('drain', resolve))
    }
    send({ id, result: {} })
  } else send({ id, result: {} })
}
