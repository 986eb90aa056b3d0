/** A small real ACP agent: what it does is the first word of the prompt. */
import { Readable, Writable } from 'node:stream'

import { RequestError, agent, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import type {
  AgentContext,
  RequestPermissionRequest,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk'

type Turn = {
  client: AgentContext
  cancelled: Promise<void>
  send: (update: SessionUpdate) => Promise<void>
}

const EDIT = {
  toolCallId: 'call-1',
  title: 'Edit a.js',
  kind: 'edit' as const,
  locations: [{ path: '/project/a.js' }],
  content: [
    { type: 'diff' as const, path: '/project/a.js', oldText: 'one\ntwo\n', newText: 'one\n2\n' },
  ],
}

const OPTIONS = [
  { optionId: 'a', name: 'Allow always', kind: 'allow_always' as const },
  { optionId: 'b', name: 'Allow once', kind: 'allow_once' as const },
  { optionId: 'c', name: 'Deny', kind: 'reject_once' as const },
]

const SCRIPTS: Record<string, (turn: Turn) => Promise<StopReason>> = {
  say: async ({ send }) => {
    for (const text of ['Hello ', 'there.\u202e']) await say(send, text)
    await send({ sessionUpdate: 'usage_update', used: 10, size: 100 })
    return 'end_turn'
  },
  edit: async ({ client, send }) => {
    await say(send, 'I edit.')
    await send({ sessionUpdate: 'tool_call', status: 'pending', ...EDIT })
    const question: RequestPermissionRequest = {
      sessionId: 's-1',
      toolCall: EDIT,
      options: OPTIONS,
    }
    const { outcome } = await client.request(methods.client.session.requestPermission, question)
    const chosen = outcome.outcome === 'selected' ? outcome.optionId : 'none'
    const status = chosen === 'b' ? 'completed' : 'failed'
    await send({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status })
    await say(send, `Answer ${chosen}.`)
    return outcome.outcome === 'cancelled' ? 'cancelled' : 'end_turn'
  },
  wait: async ({ send, cancelled }) => {
    await say(send, 'Waiting.')
    await cancelled
    return 'cancelled'
  },
  ignore: async ({ send }) => {
    await say(send, 'Waiting.')
    await new Promise(() => {})
    return 'end_turn'
  },
  chatter: async ({ send }) => {
    for (;;) {
      await say(send, 'Again. ')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  },
  tokens: () => Promise.resolve('max_tokens'),
  requests: () => Promise.resolve('max_turn_requests'),
  refuse: () => Promise.resolve('refusal'),
  fault: () => Promise.reject(new RequestError(-32_603, 'The model said \u001b[31mno.')),
  die: () => {
    process.stderr.write('glovebox: The engine went away.\n', () => process.exit(3))
    return new Promise(() => {})
  },
}

function say(send: Turn['send'], text: string) {
  return send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
}

/** Serves on this process's stdio until the input ends. */
export function serveScriptedAgent(): void {
  const cancel = Promise.withResolvers<void>()
  const app = agent({ name: 'scripted' })
    .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      if (params.cwd === '/nowhere') throw new RequestError(-32_602, 'There is no folder /nowhere.')
      return { sessionId: 's-1' }
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      if (params.modeId !== 'plan') throw new RequestError(-32_602, `No mode ${params.modeId}`)
      return {}
    })
    .onNotification(methods.agent.session.cancel, () => cancel.resolve())
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const [block] = params.prompt
      const word = block?.type === 'text' ? block.text.trim() : ''
      const send: Turn['send'] = (update) =>
        client.notify(methods.client.session.update, { sessionId: 's-1', update })
      const script = SCRIPTS[word]
      if (script === undefined) throw new RequestError(-32_602, `No script ${word}`)
      return { stopReason: await script({ client, cancelled: cancel.promise, send }) }
    })
  process.stdin.once('close', () => process.exit(0))
  app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
}
