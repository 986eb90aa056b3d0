import { PassThrough } from 'node:stream'

import { expect, test } from 'vitest'

import { AgentRelay } from '../../../src/acp/agent-relay.ts'
import { parseFrame, type NotificationFrame, type RequestFrame } from '../../../src/acp/frame.ts'
import { Turns } from '../../../src/session/cancel-turns.ts'
import { jsonInput, Lines, settled } from '../../support/acp/lines.ts'

const GRACE = { grace1_ms: 100, grace2_ms: 100, grace3_ms: 100 }

/** Turns on a relay whose agent, editor and init are the test. */
async function open() {
  const stdin = new PassThrough()
  const agent = jsonInput()
  const editor = new PassThrough()
  const toEditor = (bytes: Buffer): void => void editor.write(`${bytes.toString()}\n`)
  const toInit: Record<string, unknown>[] = []
  const signals: string[] = []
  const sent: unknown[] = []
  const ends: string[] = []
  const records: unknown[] = []
  const relay = new AgentRelay('gb-1', stdin, agent, {
    toEditor,
    onSession: (id) => id,
    onRefusal: () => undefined,
    onFrame: () => undefined,
    judge: (frame) => turns.judge(frame),
    answering: (pending, frame) => turns.answering(pending, frame),
    onAnswered: (method) => turns.answered(method),
  })
  const turns = new Turns({
    relay,
    grace: GRACE,
    helpers: [],
    editorId: () => 's1',
    agentId: () => 's1',
    toInit: (message) => void toInit.push(message),
    turn: () => undefined,
    turnStarts: () => Promise.resolve(),
    toEditor,
    signal: (signal) => void signals.push(signal),
    record: (_type, data) => void records.push(data['step']),
    end: (why) => void ends.push(why),
  })
  const lines = { toAgent: new Lines(stdin), toEditor: new Lines(editor) }
  const text = '{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/p"}}'
  await relay.forwardRequest(asRequest(text), Buffer.from(text))
  await lines.toAgent.next()
  agent.send({ jsonrpc: '2.0', id: 0, result: { sessionId: 's1' } })
  await lines.toEditor.next()
  const prompt = (id: number): void => {
    const frame = asRequest(`{"jsonrpc":"2.0","id":${id},"method":"session/prompt","params":{}}`)
    void turns.prompt(frame, frame.bytes, () => void sent.push(id))
  }
  const marked = (turn: string): void => turns.fromInit({ type: 'marked', turn })
  const cancel = (): void =>
    turns.cancel(() => relay.forwardNotification(Buffer.from('{"method":"session/cancel"}')))
  const running = async (id: number, turn: string): Promise<void> => {
    prompt(id)
    await settled()
    marked(turn)
    expect(await lines.toAgent.next()).toMatchObject({ id, method: 'session/prompt' })
  }
  return {
    ...lines,
    agent,
    turns,
    toInit,
    signals,
    sent,
    ends,
    records,
    prompt,
    marked,
    cancel,
    running,
  }
}

const asRequest = (text: string): RequestFrame => parseFrame(Buffer.from(text)) as RequestFrame
const line = (text: string): unknown => ({
  method: 'session/update',
  params: { sessionId: 's1', update: { content: { text: `Glovebox: ${text}\n\n` } } },
})
const cancelled = (id: number): unknown => ({ id, result: { stopReason: 'cancelled' } })

test('a prompt goes to the agent when init has marked the turn, and what follows it keeps its place', async () => {
  const { turns, toAgent, toInit, prompt, marked, sent } = await open()
  prompt(1)
  void turns.inOrder(() => void sent.push('behind'))
  await settled()
  expect(toInit).toEqual([{ type: 'mark', turn: '1', helpers: [] }])
  expect(toAgent.pending()).toEqual([])
  marked('1')
  expect(await toAgent.next()).toMatchObject({ id: 1 })
  await settled()
  expect(sent).toEqual([1, 'behind'])
})

test('a second prompt while one runs is the agent’s matter, and no mark of its own', async () => {
  const { toAgent, toInit, prompt, running } = await open()
  await running(1, '1')
  prompt(2)
  expect(await toAgent.next()).toMatchObject({ id: 2 })
  expect(toInit).toHaveLength(1)
})

test('a cancel of a prompt that init has not marked answers it, and the agent never sees it', async () => {
  const { toAgent, toEditor, prompt, marked, cancel } = await open()
  prompt(1)
  await settled()
  cancel()
  expect(await toEditor.next()).toMatchObject(line('the turn was cancelled.') as object)
  expect(await toEditor.next()).toMatchObject(cancelled(1) as object)
  marked('1')
  await settled()
  expect(toAgent.pending()).toEqual([])
})

test.for([
  { error: { code: -32_603, message: 'aborted' } },
  { result: { stopReason: 'end_turn', usage: { n: 1 } } },
  { result: null },
])(
  'the agent’s answer %j to a cancelled prompt becomes cancelled, and the reap follows',
  async (answer) => {
    const { agent, toAgent, toEditor, toInit, running, cancel } = await open()
    await running(1, '1')
    cancel()
    expect(await toAgent.next()).toEqual({ method: 'session/cancel' })
    agent.send({ jsonrpc: '2.0', id: 1, ...answer })
    await toEditor.next()
    expect(await toEditor.next()).toMatchObject(cancelled(1) as object)
    expect(toInit.at(-1)).toEqual({ type: 'reap', id: 1 })
  },
)

test('the next prompt waits for the reap of the cancelled one', async () => {
  const { agent, turns, toAgent, toInit, running, prompt, marked, cancel } = await open()
  await running(1, '1')
  cancel()
  await toAgent.next()
  prompt(2)
  agent.send({ jsonrpc: '2.0', id: 1, result: { stopReason: 'cancelled' } })
  await settled()
  expect(toInit.map(({ type }) => type)).toEqual(['mark', 'reap'])
  turns.fromInit({ type: 'reaped', id: 1, processes: [], left: 0 })
  await settled()
  marked('2')
  expect(await toAgent.next()).toMatchObject({ id: 2 })
})

test('a prompt behind a cancel is not part of it, but a cancel behind that prompt is', async () => {
  const { agent, toAgent, toEditor, running, prompt, cancel } = await open()
  await running(1, '1')
  cancel()
  await toAgent.next()
  prompt(2)
  cancel()
  await toEditor.next()
  expect(await toEditor.next()).toMatchObject(cancelled(2) as object)
  agent.send({ jsonrpc: '2.0', id: 1, result: { stopReason: 'cancelled' } })
  await toEditor.next()
  expect(await toEditor.next()).toMatchObject(cancelled(1) as object)
})

test('an agent that does nothing: the answer is ours, then SIGTERM, then SIGKILL', async () => {
  const { toEditor, running, cancel, signals, ends, records } = await open()
  await running(1, '1')
  const begun = performance.now()
  cancel()
  await toEditor.next()
  expect(await toEditor.next()).toMatchObject(cancelled(1) as object)
  expect(performance.now() - begun).toBeGreaterThan(195)
  await expect.poll(() => signals).toEqual(['SIGTERM', 'SIGKILL'])
  expect(ends).toHaveLength(1)
  expect(records).toEqual(['asked', 'terminated', 'killed'])
})

test('a container that dies after a cancel has its prompt end cancelled', async () => {
  const { turns, toEditor, running, cancel } = await open()
  await running(1, '1')
  cancel()
  turns.containerEnded()
  await toEditor.next()
  expect(await toEditor.next()).toMatchObject(cancelled(1) as object)
})

test('$/cancel_request of a running prompt is passed on, with a session/cancel behind it', async () => {
  const { turns, toAgent, running } = await open()
  await running(7, '1')
  const text = '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}'
  void turns.cancelRequest('7', parseFrame(Buffer.from(text)) as NotificationFrame)
  expect(await toAgent.raw()).toBe(text)
  expect(await toAgent.next()).toMatchObject({
    method: 'session/cancel',
    params: { sessionId: 's1' },
  })
})

test('questions of a cancelled turn are answered cancelled, open ones and later ones', async () => {
  const { agent, toAgent, toEditor, running, cancel } = await open()
  await running(1, '1')
  const ask = (id: number, method: string): void =>
    agent.send({ jsonrpc: '2.0', id, method, params: { sessionId: 's1' } })
  ask(10, 'session/request_permission')
  ask(11, 'elicitation/create')
  await toEditor.next()
  await toEditor.next()
  cancel()
  await toAgent.next()
  ask(12, 'session/request_permission')
  const answers = [await toAgent.next(), await toAgent.next(), await toAgent.next()]
  expect(answers).toMatchObject([
    { id: 10, result: { outcome: { outcome: 'cancelled' } } },
    { id: 11, result: { action: 'cancel' } },
    { id: 12, result: { outcome: { outcome: 'cancelled' } } },
  ])
  expect(toEditor.pending()).toEqual([])
})
