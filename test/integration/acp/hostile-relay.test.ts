import { PassThrough, Writable } from 'node:stream'

import { describe, expect, it, test } from 'vitest'

import { AgentRelay } from '../../../src/acp/agent-relay.ts'
import { parseFrame, type RequestFrame } from '../../../src/acp/frame.ts'
import { jsonInput, Lines, settled } from '../../support/acp/lines.ts'

const asRequest = (text: string): RequestFrame => parseFrame(Buffer.from(text)) as RequestFrame
const PROMPT = '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1"}}'
const UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{}}}'

async function opened(stdin: Writable = new PassThrough()) {
  const agent = jsonInput()
  const editor = new PassThrough()
  const refusals: string[] = []
  const answered: [string, boolean][] = []
  const relay = new AgentRelay('gb-1', stdin, agent, {
    toEditor: (bytes) => void editor.write(Buffer.concat([bytes, Buffer.from('\n')])),
    onSession: (id) => id,
    onRefusal: (method, reason) => refusals.push(`${method}: ${reason}`),
    onFrame: () => undefined,
    onAnswered: (method, { failed }) => answered.push([method, failed]),
  })
  const toEditor = new Lines(editor)
  const open = async (result: unknown = { sessionId: 's1' }) => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p"}}'
    await relay.forwardRequest(asRequest(text), Buffer.from(text))
    agent.send({ jsonrpc: '2.0', id: 1, result })
    return toEditor.next()
  }
  const prompt = (): void | Promise<void> =>
    relay.forwardRequest(asRequest(PROMPT), Buffer.from(PROMPT))
  return { relay, agent, stdin, toEditor, refusals, answered, open, prompt }
}

test('[G-GUARD] [G-AUDIT] log-ins that an agent names in an error reach no editor, and are recorded', async () => {
  const { agent, relay, toEditor, refusals } = await opened()
  const text = '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p"}}'
  await relay.forwardRequest(asRequest(text), Buffer.from(text))
  const authMethods = [{ id: 'a', type: 'terminal', name: 'Log in', args: ['login'] }]
  const error = { code: -32_000, message: 'Log in first', data: { authMethods, kept: 1 } }
  agent.send({ jsonrpc: '2.0', id: 1, error })
  expect(await toEditor.next()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { ...error, data: { kept: 1 } },
  })
  expect(refusals).toEqual(['authMethods: the agent named log-ins of its own in an error'])
})

describe('a message that would harm its reader', () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  test.for<[string, string | Buffer]>([
    [
      'is no UTF-8',
      Buffer.concat([Buffer.from(UPDATE.slice(0, -2)), Buffer.from(',"x":"\xff"}}\n', 'latin1')]),
    ],
    ['is nested 100,000 deep', UPDATE.replace('{}', nested)],
    ['cancels a request whose id is nested 100,000 deep', cancel(nested)],
    ['holds two million values', UPDATE.replace('{}', `[${'0,'.repeat(2_000_000)}0]`)],
    ['cancels the question of another session', cancel('"gb-2-1"')],
    ['cancels a request of the editor', cancel('2')],
    ['names its session in another case as well', UPDATE.replace('{"s', '{"SessionID":"v","s')],
    ['names its session in another case only', UPDATE.replace('sessionId', 'sessionid')],
    ['names it in letters that fold to the same', UPDATE.replace('sessionId', 'ſessionId')],
    ['has a second method in another case', UPDATE.replace('"method"', '"Method":"x","method"')],
    ['has an id of 20 kB', question(`"${'i'.repeat(20_000)}"`)],
    ['has an endless id', question('1e999')],
    [
      'asks in two modes',
      '{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"sessionId":"s1","mode":"url","mode":"form"}}',
    ],
    [
      'asks in a mode in another case',
      '{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"sessionId":"s1","Mode":"url"}}',
    ],
  ])('never reaches the editor when it %s, and the next one does', async ([, line]) => {
    const { agent, toEditor, refusals, open } = await opened()
    await open()
    agent.push(typeof line === 'string' ? `${line}\n` : line)
    agent.send(UPDATE)
    expect(await toEditor.raw()).toBe(UPDATE)
    await settled()
    expect(toEditor.pending()).toEqual([])
    expect(refusals).toHaveLength(1)
  })

  test.for(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'passes byte for byte when a parameter is called %s',
    async (key) => {
      const { agent, toEditor, open } = await opened()
      await open()
      const line = UPDATE.replace('"update"', `"${key}":{"x":1},"update"`)
      agent.send(line)
      expect(await toEditor.raw()).toBe(line)
    },
  )

  it('asks the editor at most 256 things at a time', async () => {
    const { agent, toEditor, refusals, open } = await opened()
    await open()
    for (let n = 0; n < 300; n += 1) agent.send(question(String(n)))
    await settled()
    expect(toEditor.pending()).toHaveLength(256)
    expect(refusals).toHaveLength(44)
  })
})

describe('an answer that cannot be taken', () => {
  const long = 'x'.repeat(33 * 1024 * 1024)
  test.for<[string, string]>([
    ['is too long', `{"jsonrpc":"2.0","id":2,"result":{"x":"${long}"}}`],
    ['is too long and has its id at the end', `{"jsonrpc":"2.0","result":{"x":"${long}"},"id":2}`],
    ['has its id twice', '{"jsonrpc":"2.0","id":2,"id":2,"result":{}}'],
    [
      'is nested too deep',
      `{"jsonrpc":"2.0","id":2,"result":${'['.repeat(999)}${']'.repeat(999)}}`,
    ],
  ])('is an error for the editor when it %s, not silence', async ([, line]) => {
    const { agent, toEditor, answered, open, prompt } = await opened()
    await open()
    await prompt()
    agent.send(line)
    expect(await toEditor.next()).toMatchObject({
      id: 2,
      error: { code: -32603, message: expect.stringContaining('did not take the agent') },
    })
    expect(answered.at(-1)).toEqual(['session/prompt', true])
  })

  it('is an error where session/new is answered without a session id', async () => {
    const { open, answered } = await opened()
    expect(await open({ sessionId: 7 })).toMatchObject({
      id: 1,
      error: { message: 'The agent answered session/new without a session id.' },
    })
    expect(answered).toEqual([['session/new', true]])
  })

  it('tells the agent of a question that was too long', async () => {
    const stdin = new PassThrough()
    const { agent, open } = await opened(stdin)
    const toAgent = new Lines(stdin)
    await open()
    await toAgent.next()
    agent.send(question('5').replace('"s1"', `"s1","x":"${long}"`))
    expect(await toAgent.next()).toMatchObject({ id: 5, error: { code: -32600 } })
  })

  it('carries the editor’s own spelling of the id', async () => {
    const { agent, toEditor, open, prompt } = await opened()
    await open()
    await prompt()
    agent.send('{"jsonrpc":"2.0","id":2.0e0,"result":{}}')
    expect(await toEditor.raw()).toBe('{"jsonrpc":"2.0","id":2,"result":{}}')
  })
})

describe('an agent that does not read', () => {
  it('holds nobody up, and gets no more than 64 MiB to read', async () => {
    const never = new Writable({ write: () => undefined })
    const { relay, toEditor, open } = await opened(never)
    await open()
    const bytes = Buffer.alloc(10 * 1024 * 1024, 0x20)
    const ids = Array.from({ length: 8 }, (_, n) => 10 + n)
    const waits = ids.map((id) =>
      relay.forwardRequest(asRequest(PROMPT.replace('2,', `${id},`)), bytes),
    )
    expect(waits.slice(0, 7)).toEqual(Array(7).fill(undefined))
    expect(await toEditor.next()).toMatchObject({
      id: 17,
      error: { message: 'The agent does not read what it is sent.' },
    })
    expect(never.writableLength).toBeLessThan(75 * 1024 * 1024)
    relay.forwardNotification(bytes)
    expect(never.writableLength).toBeLessThan(75 * 1024 * 1024)
  })
})

function cancel(id: string): string {
  return `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id}}}`
}

function question(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"session/request_permission","params":{"sessionId":"s1"}}`
}
