// An agent whose turns are told in the prompt: what it starts, and what it does when cancelled.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (content) =>
  send({ method: 'session/update', params: { sessionId: 'sess_1', update: content } })
const say = (text) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

/** What a turn does, word by word. */
const WORDS = {
  // A daemon: a session of its own, no parent of ours, deaf to polite signals.
  daemon: ([seconds]) => shell(`setsid sh -c "trap '' INT TERM HUP; sleep ${seconds} &"`),
  // A child in a process group of its own that holds our output.
  child: ([seconds]) => shell(`trap '' INT TERM; sleep ${seconds}; true`),
  call: ([id, ...title]) =>
    update({
      sessionUpdate: 'tool_call',
      toolCallId: id,
      title: title.join(' '),
      status: 'in_progress',
    }),
  done: ([id]) =>
    update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' }),
  ask: () => {
    asked += 1
    send({
      id: 'q',
      method: 'session/request_permission',
      params: { sessionId: 'sess_1', toolCall: { toolCallId: 'q' }, options: [] },
    })
  },
  form: () => {
    asked += 1
    send({
      id: 'f',
      method: 'elicitation/create',
      params: { sessionId: 'sess_1', mode: 'form', message: 'Which?', requestedSchema: {} },
    })
  },
  // Ignores the end of its input and SIGTERM.
  deaf: () => {
    deaf = true
    process.on('SIGTERM', () => undefined)
  },
  // A child outside every group that holds our output open.
  hold: ([seconds]) =>
    spawn('setsid', ['sh', '-c', `trap '' INT TERM HUP; sleep ${seconds}`], { stdio: 'inherit' }),
  flood: () => {
    const again = () => {
      for (let n = 0; n < 50; n += 1) say('x'.repeat(10_000))
      setImmediate(again)
    }
    again()
  },
  // The agent itself takes all the memory there is.
  hog: () => {
    const kept = []
    for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1))
  },
  sh: (words) => shell(words.join(' ')),
  'end-after': ([ms]) =>
    setTimeout(() => answer({ result: { stopReason: 'end_turn' } }), Number(ms)),
  end: () => answer({ result: { stopReason: 'end_turn' } }),
}
/** What a cancel leads to. */
const CANCELS = {
  'on-cancel-deaf': () => undefined,
  'on-cancel-error': () => answer({ error: { code: -32603, message: 'aborted' } }),
  'on-cancel-die': () => process.exit(3),
  'on-cancel-late': () => {
    answer({ result: { stopReason: 'cancelled' } })
    say('late words')
    update({ sessionUpdate: 'current_mode_update', currentModeId: 'late' })
  },
  // Ends its turn when its questions are answered.
  'on-cancel-wait': () => undefined,
  'on-cancel-ask': () => WORDS.ask(),
}

let open
let deaf = false
let asked = 0
let cancelled = () => answer({ result: { stopReason: 'cancelled' } })

function shell(command) {
  const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', (text) => say(String(text)))
  child.stderr.on('data', (text) => say(String(text)))
}

function answer(message) {
  if (open !== undefined) send({ id: open, ...message })
  open = undefined
}

function prompt(id, text) {
  open = id
  cancelled = () => answer({ result: { stopReason: 'cancelled' } })
  for (const line of text.split('\n')) {
    const [word, ...rest] = line.split(' ')
    if (CANCELS[word] !== undefined) cancelled = CANCELS[word]
    else WORDS[word]?.(rest)
  }
  say('[begun]')
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  else if (method === 'session/new') send({ id, result: { sessionId: 'sess_1' } })
  else if (method === 'session/prompt') prompt(id, params.prompt[0].text)
  else if (method === 'session/cancel') {
    if (open !== undefined) cancelled()
  } else if (method === undefined) {
    say(`answered ${id} ${JSON.stringify(result ?? error)}`)
    asked -= 1
    if (asked === 0) answer({ result: { stopReason: 'cancelled' } })
  } else if (id !== undefined) send({ id, result: {} })
})
process.stdin.on('end', () => {
  if (deaf) setInterval(() => undefined, 1_000)
  else process.exit(0)
})
