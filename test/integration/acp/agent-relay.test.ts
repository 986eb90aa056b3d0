import { PassThrough } from 'node:stream'

import { describe, expect, it } from 'vitest'

import { AgentRelay } from '../../../src/acp/agent-relay.ts'
import {
  parseFrame,
  type NotificationFrame,
  type RequestFrame,
  type ResponseFrame,
} from '../../../src/acp/frame.ts'
import { jsonInput, Lines, settled } from '../../support/acp/lines.ts'

const asRequest = (text: string): RequestFrame => parseFrame(Buffer.from(text)) as RequestFrame
const asResponse = (text: string): ResponseFrame => parseFrame(Buffer.from(text)) as ResponseFrame
const asNotification = (text: string): NotificationFrame =>
  parseFrame(Buffer.from(text)) as NotificationFrame

function start(rename: (id: string) => string = (id) => id) {
  const stdin = new PassThrough()
  const agent = jsonInput()
  const editor = new PassThrough()
  const refusals: string[] = []
  const relay = new AgentRelay('gb-1', stdin, agent, {
    toEditor: (bytes) => void editor.write(Buffer.concat([bytes, Buffer.from('\n')])),
    onSession: rename,
    onRefusal: (method, reason) => refusals.push(`${method}: ${reason}`),
    onFrame: () => undefined,
    onAnswered: () => undefined,
  })
  return { relay, agent, toAgent: new Lines(stdin), toEditor: new Lines(editor), refusals }
}

async function opened(rename?: (id: string) => string) {
  const parts = start(rename)
  const text = '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p"}}'
  await parts.relay.forwardRequest(asRequest(text), Buffer.from(text))
  expect(await parts.toAgent.raw()).toBe(text)
  parts.agent.send({ jsonrpc: '2.0', id: 1, result: { sessionId: 's1' } })
  await parts.toEditor.raw()
  return parts
}

describe('AgentRelay', () => {
  it('passes an update byte for byte, with numbers over 2^53, duplicate and unknown keys', async () => {
    const { agent, toEditor } = await opened()
    const line =
      '{"jsonrpc":"2.0", "method":"session/update","params":{"update":{"n":9007199254740993,"x":1.0,"x":2,"_new":[]},"sessionId":"s1"},"zz":null}'
    agent.send(line)
    expect(await toEditor.raw()).toBe(line)
  })

  it('gives every request of the agent an id of its own and the answer the agent’s spelling back', async () => {
    const { relay, agent, toAgent, toEditor } = await opened()
    agent.send(
      '{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1"}}',
    )
    const asked = await toEditor.next()
    expect(asked['id']).toBe('gb-1-1')
    relay.forwardAnswer(
      asResponse('{"jsonrpc":"2.0","id":"gb-1-1","result":{"n":9007199254740993}}'),
    )
    expect(await toAgent.raw()).toBe('{"jsonrpc":"2.0","id":0,"result":{"n":9007199254740993}}')
  })

  it('translates the id in the agent’s $/cancel_request', async () => {
    const { agent, toEditor } = await opened()
    agent.send(
      '{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1"}}',
    )
    await toEditor.next()
    agent.send('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}')
    expect(await toEditor.next()).toMatchObject({ params: { requestId: 'gb-1-1' } })
  })

  it('holds updates of a session back until its session/new is answered', async () => {
    const { relay, agent, toEditor } = start()
    const text = '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p"}}'
    await relay.forwardRequest(asRequest(text), Buffer.from(text))
    agent.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's1', update: {} },
    })
    agent.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 'foreign', update: {} },
    })
    await settled()
    expect(toEditor.pending()).toEqual([])
    agent.send({ jsonrpc: '2.0', id: 1, result: { sessionId: 's1' } })
    expect(await toEditor.next()).toMatchObject({ result: { sessionId: 's1' } })
    expect(await toEditor.next()).toMatchObject({ method: 'session/update' })
    await settled()
    expect(toEditor.pending()).toEqual([])
  })

  it('lets nothing of a session through that is not the container’s', async () => {
    const { agent, toEditor, refusals } = await opened()
    agent.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 'other', update: {} },
    })
    agent.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's1', update: {} },
    })
    expect(await toEditor.next()).toMatchObject({ params: { sessionId: 's1' } })
    expect(refusals).toEqual([
      'session/update: session/update named a session that is not this container’s'.replace(
        '’',
        "'",
      ),
    ])
  })

  it('answers a request for host files itself', async () => {
    const { agent, toAgent, toEditor, refusals } = await opened()
    agent.send({
      jsonrpc: '2.0',
      id: 'r',
      method: 'fs/read_text_file',
      params: { sessionId: 's1', path: '/etc/passwd' },
    })
    expect(await toAgent.next()).toMatchObject({ id: 'r', error: { code: -32601 } })
    expect(toEditor.pending()).toEqual([])
    expect(refusals).toHaveLength(1)
  })

  it('drops output that is no JSON, and reports it once', async () => {
    const { relay, agent, toEditor, refusals } = await opened()
    agent.send('Starting up…')
    agent.send('more noise')
    agent.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's1', update: {} },
    })
    expect(await toEditor.next()).toMatchObject({ method: 'session/update' })
    expect(relay.dropped).toBe(2)
    expect(refusals).toHaveLength(1)
  })

  it('drops an answer to a request nobody made', async () => {
    const { agent, toEditor, refusals } = await opened()
    agent.send({ jsonrpc: '2.0', id: 99, result: {} })
    await settled()
    expect(toEditor.pending()).toEqual([])
    expect(refusals).toHaveLength(1)
  })

  it('shows the editor another session id where the agent’s is taken', async () => {
    const { relay, agent, toEditor } = start((id) => `${id}-2`)
    const text = '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p"}}'
    await relay.forwardRequest(asRequest(text), Buffer.from(text))
    agent.send({ jsonrpc: '2.0', id: 1, result: { sessionId: 's1', x: 1 } })
    expect(await toEditor.raw()).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1-2","x":1}}',
    )
    agent.send({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's1', update: {} },
    })
    expect(await toEditor.next()).toMatchObject({ params: { sessionId: 's1-2' } })
  })

  it('keeps its own requests and their answers away from the editor', async () => {
    const { relay, agent, toAgent, toEditor } = start()
    const answer = relay.ask('initialize', { protocolVersion: 1 })
    const { id } = await toAgent.next()
    agent.send({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } })
    expect(await answer).toEqual({ protocolVersion: 1 })
    expect(toEditor.pending()).toEqual([])
  })

  it('answers open permission requests cancelled and drops a later answer of the editor', async () => {
    const { relay, agent, toAgent, toEditor } = await opened()
    agent.send({
      jsonrpc: '2.0',
      id: 3,
      method: 'session/request_permission',
      params: { sessionId: 's1' },
    })
    const { id } = await toEditor.next()
    relay.cancelQuestions()
    expect(await toAgent.next()).toEqual({
      jsonrpc: '2.0',
      id: 3,
      result: { outcome: { outcome: 'cancelled' } },
    })
    relay.forwardAnswer(asResponse(JSON.stringify({ jsonrpc: '2.0', id, result: {} })))
    relay.forwardNotification(asNotification('{"method":"session/cancel"}').bytes)
    expect(await toAgent.raw()).toBe('{"method":"session/cancel"}')
  })

  it('reads no further while the editor takes nothing, so that a flood does not fill memory', async () => {
    const agent = jsonInput()
    let release: () => void = () => undefined
    let taken = 0
    const relay = new AgentRelay('gb-1', new PassThrough(), agent, {
      toEditor: () => {
        taken += 1
        return new Promise((resolve) => {
          release = resolve
        })
      },
      onSession: (id) => id,
      onRefusal: () => undefined,
      onFrame: () => undefined,
      onAnswered: () => undefined,
    })
    const text = '{"jsonrpc":"2.0","id":1,"method":"session/new"}'
    await relay.forwardRequest(asRequest(text), Buffer.from(text))
    for (let n = 0; n < 10_000; n += 1)
      agent.send({ jsonrpc: '2.0', method: '_x/y', params: { n } })
    await settled()
    expect(taken).toBe(1)
    expect(agent.readableFlowing).not.toBe(true)
    release()
    await settled()
    expect(taken).toBe(2)
    agent.destroy()
  })
})
