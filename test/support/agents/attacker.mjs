// An agent that breaks the protocol in the way its prompt names. `_probe/…` asks it before a turn.
import { createInterface } from 'node:readline'

const write = (text) => void process.stdout.write(text)
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (text, sessionId = session) =>
  send({
    method: 'session/update',
    params: {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    },
  })
const say = (text) => update(String(text))
const nested = (depth) => '['.repeat(depth) + ']'.repeat(depth)
const session = `sess_${process.pid}`
const permission = (id, title = 't') =>
  `{"jsonrpc":"2.0","id":${id},"method":"session/request_permission","params":{"sessionId":"${session}","toolCall":{"toolCallId":"c","title":"${title}"},"options":[{"optionId":"a","name":"a","kind":"allow_once"}]}}\n`
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
/** Writes as fast as the reader takes it. */
const pour = async (count, text) => {
  for (let n = 0; n < count; n += 1)
    if (!process.stdout.write(text(n)))
      await new Promise((resolve) => process.stdout.once('drain', resolve))
}

const ATTACKS = {
  hello: () => say('hello'),
  'not utf-8': () => {
    process.stdout.write(
      Buffer.concat([
        Buffer.from(
          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","x":"`,
        ),
        Buffer.from([0xff, 0xfe, 0xc3]),
        Buffer.from('"}}\n'),
      ]),
    )
  },
  'deep cancel': () =>
    write(
      `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${nested(100_000)}}}\n`,
    ),
  deep: () =>
    write(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":${nested(100_000)}}}\n`,
    ),
  'other case': () => {
    write(
      `{"jsonrpc":"2.0","method":"session/update","params":{"SessionId":"victim","update":{}}}\n`,
    )
    write(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","sessionID":"victim","update":{}}}\n`,
    )
    write(
      `{"jsonrpc":"2.0","method":"_x","Method":"fs/read_text_file","id":5,"params":{"path":"/etc/passwd"}}\n`,
    )
    write(
      `{"jsonrpc":"2.0","method":"_x","\u017fessionId":1,"params":{"\u017fessionId":"victim"}}\n`,
    )
  },
  'two modes': () =>
    write(
      `{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"sessionId":"${session}","mode":"url","url":"https://evil.test","mode":"form","message":"m"}}\n`,
    ),
  'huge update': () =>
    write(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","x":"${'a'.repeat(40_000_000)}"}}\n`,
    ),
  'huge answer': (id) => (
    write(
      `{"jsonrpc":"2.0","id":${id},"result":{"stopReason":"end_turn","x":"${'a'.repeat(40_000_000)}"}}\n`,
    ),
    false
  ),
  'huge answer id last': (id) => (
    write(
      `{"jsonrpc":"2.0","result":{"stopReason":"end_turn","x":"${'a'.repeat(40_000_000)}"},"id":${id}}\n`,
    ),
    false
  ),
  'bad answer': (id) => (
    write(`{"jsonrpc":"2.0","id":${id},"id":${id},"result":{"stopReason":"end_turn"}}\n`),
    false
  ),
  'odd id answer': (id) => (
    write(`{"jsonrpc":"2.0","id":${id}.0,"result":{"stopReason":"end_turn"}}\n`),
    false
  ),
  'many keys': () =>
    write(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}",${Array.from({ length: 2_000_000 }, (_, n) => `"k${n}":0`).join(',')}}}\n`,
    ),
  'many arrays': () =>
    write(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","a":[${'[],'.repeat(10_000_000)}1]}}\n`,
    ),
  'small bytes': async () => {
    write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","x":"`)
    const { writeSync } = await import('node:fs')
    const one = Buffer.from('a')
    for (let n = 0; n < 3_000_000;) {
      try {
        writeSync(1, one)
        n += 1
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error
        await pause(1)
      }
    }
    write('"}}\n')
  },
  'many frames': async () =>
    pour(
      300_000,
      (n) =>
        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","n":${n}}}\n`,
    ),
  'many questions': async () => pour(200_000, (n) => permission(n)),
  'long ids': async () => pour(40, (n) => permission(`"${n}${'i'.repeat(20_000_000)}"`)),
  'many refusals': async () =>
    pour(
      200_000,
      (n) =>
        `{"jsonrpc":"2.0","id":${n},"method":"fs/read_text_file","params":{"sessionId":"${session}","path":"/etc/passwd"}}\n`,
    ),
  'many tools': async () =>
    pour(
      200_000,
      (n) =>
        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${session}","update":{"sessionUpdate":"tool_call","toolCallId":"${'c'.repeat(2000)}${n}","title":"${'t'.repeat(2000)}","kind":"other"}}}\n`,
    ),
  'many complaints': async () => {
    for (let n = 0; n < 200_000; n += 1)
      if (!process.stderr.write(`line ${n}\n`))
        await new Promise((r) => process.stderr.once('drain', r))
  },
  'answers to others': () => {
    for (let id = 0; id < 50; id += 1)
      if (id !== current)
        send({ id, result: { forged: true, sessionId: 'x', stopReason: 'end_turn' } })
    for (let n = 1; n < 4; n += 1)
      for (let m = 1; m < 4; m += 1) send({ id: `glovebox-${n}-${m}`, result: { forged: true } })
    send({ method: '$/cancel_request', params: { requestId: 0 } })
    send({ method: '$/cancel_request', params: { requestId: 'glovebox-1-1' } })
  },
  prototype: () => {
    write(
      `{"jsonrpc":"2.0","__proto__":{"method":"fs/read_text_file"},"method":"session/update","params":{"sessionId":"${session}","__proto__":{"x":1}}}\n`,
    )
    write(
      `{"jsonrpc":"2.0","method":"session/update","params":{"__proto__":{"sessionId":"${session}"},"sessionId":"__proto__"}}\n`,
    )
    write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"constructor"}}\n`)
  },
  torn: async () => {
    write('{"jsonrpc":"2.0","method":"session/upd')
    await pause(200)
    process.exit(9)
  },
  'deaf input': () => (input.pause(), setInterval(() => {}, 1_000), false),
  hang: () => false,
}

let current
const input = createInterface({ input: process.stdin })
input.on('line', (line) => void answer(line))

async function answer(line) {
  const message = JSON.parse(line)
  if (message.method === 'initialize') {
    send({ id: message.id, result: { protocolVersion: 1, agentCapabilities: {} } })
  } else if (message.method === 'session/new') {
    const { _meta: options } = message.params
    const [meta] = Object.values(options ?? {})
    if (meta === 'number') send({ id: message.id, result: { sessionId: 7 } })
    else if (meta === 'early') {
      update('before the answer')
      send({ id: message.id, result: { sessionId: session } })
      send({ id: message.id, result: { sessionId: 'sess_second' } })
      update('as another', 'sess_second')
    } else send({ id: message.id, result: { sessionId: session } })
  } else if (message.method === 'session/prompt') {
    current = message.id
    const attack = ATTACKS[message.params.prompt[0].text]
    const go = attack ? await attack(message.id) : say('unknown attack')
    if (go !== false) send({ id: message.id, result: { stopReason: 'end_turn' } })
  }
}
process.stdin.on('end', () => process.exit(0))
