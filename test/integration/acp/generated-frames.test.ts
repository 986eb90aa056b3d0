import { PassThrough } from 'node:stream'

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { AgentRelay } from '../../../src/acp/agent-relay.ts'
import { parseFrame, type RequestFrame, type ResponseFrame } from '../../../src/acp/frame.ts'
import { jsonText, objectWith } from '../../support/acp/frame-texts.ts'
import { Lines } from '../../support/acp/lines.ts'

const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 300) }

const version = fc.constant('"jsonrpc":"2.0"')
const session = fc.constant('"sessionId":"s1"')

/** Text and data of the agent; what a user decides by has rewrites of its own. */
const update = objectWith(fc.constant('"sessionUpdate":"agent_message_chunk"'))
const notice = fc.oneof(
  objectWith(
    version,
    fc.constant('"method":"session/update"'),
    objectWith(
      session,
      update.map((text) => `"update":${text}`),
    ).map((text) => `"params":${text}`),
  ),
  objectWith(
    version,
    fc.constant('"method":"_x/told"'),
    objectWith(session).map((text) => `"params":${text}`),
  ),
)

async function opened(editorId: string) {
  const [toAgent, agent, editor] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const refusals: string[] = []
  const relay = new AgentRelay('gb-1', toAgent, agent, {
    toEditor: (bytes) => void editor.write(Buffer.concat([bytes, Buffer.from('\n')])),
    onSession: () => editorId,
    onRefusal: (method, reason) => refusals.push(`${method}: ${reason}`),
    onFrame: () => undefined,
    onAnswered: () => undefined,
  })
  const parts = { relay, agent, toAgent: new Lines(toAgent), toEditor: new Lines(editor), refusals }
  await ask(parts.relay, '{"id":1,"method":"session/new","params":{}}')
  await parts.toAgent.raw()
  agent.write('{"id":1,"result":{"sessionId":"s1"}}\n')
  await parts.toEditor.raw()
  return parts
}

async function ask(relay: AgentRelay, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  await relay.forwardRequest(parseFrame(bytes) as RequestFrame, bytes)
}

describe('AgentRelay with generated frames', () => {
  it('passes every notification byte for byte: numbers, keys, escapes, order and space', async () => {
    const { agent, toEditor, refusals } = await opened('s1')
    const same = fc.asyncProperty(notice, async (text) => {
      agent.write(`${text}\n`)
      expect(await toEditor.raw()).toBe(text)
    })
    await fc.assert(same, runs)
    expect(refusals).toEqual([])
  })

  it('changes nothing but the session id where the editor knows another', async () => {
    const { agent, toEditor } = await opened('gb-s1')
    const onlyId = fc.asyncProperty(notice, async (text) => {
      agent.write(`${text}\n`)
      expect(await toEditor.raw()).toBe(text.replace('"sessionId":"s1"', '"sessionId":"gb-s1"'))
    })
    await fc.assert(onlyId, runs)
  })

  it('changes nothing but the id of a question, and gives the answer back under the agent’s spelling', async () => {
    const { relay, agent, toAgent, toEditor } = await opened('s1')
    const id = fc.constantFrom('0', '7', '7.0', '-1', '1e3', '"7"', '"\\u0037"', '"é"', 'null')
    const params = objectWith(session).map((text) => `"params":${text}`)
    const asking = id.chain((own) =>
      fc.tuple(
        fc.constant(own),
        objectWith(version, fc.constant(`"id":${own}`), fc.constant('"method":"_x/ask"'), params),
        objectWith(
          version,
          fc.constant('"id":@'),
          jsonText.map((text) => `"result":${text}`),
        ),
      ),
    )
    const spliced = fc.asyncProperty(asking, async ([own, question, answer]) => {
      agent.write(`${question}\n`)
      const shown = await toEditor.raw()
      const editorId = JSON.stringify((JSON.parse(shown) as { id: unknown }).id)
      expect(shown).toBe(question.replace(`"id":${own}`, () => `"id":${editorId}`))
      const bytes = Buffer.from(answer.replace('"id":@', () => `"id":${editorId}`))
      relay.forwardAnswer(parseFrame(bytes) as ResponseFrame)
      expect(await toAgent.raw()).toBe(answer.replace('"id":@', () => `"id":${own}`))
    })
    await fc.assert(spliced, runs)
  })

  it('passes an answer byte for byte, but for the editor’s own spelling of the id', async () => {
    const { relay, agent, toAgent, toEditor } = await opened('s1')
    const answers = objectWith(
      version,
      fc.constant('"id":2'),
      jsonText.map((text) => `"result":${text}`),
    )
    const kept = fc.asyncProperty(answers, fc.constantFrom('2', '2.0'), async (answer, spelled) => {
      const request = `{"id":${spelled},"method":"_x/get"}`
      await ask(relay, request)
      expect(await toAgent.raw()).toBe(request)
      agent.write(`${answer}\n`)
      expect(await toEditor.raw()).toBe(answer.replace('"id":2', `"id":${spelled}`))
    })
    await fc.assert(kept, runs)
  })

  it('takes a frame that comes in two pieces, cut after any byte, or one byte at a time', async () => {
    const { agent, toEditor } = await opened('s1')
    const text =
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"é":"漢🧤\\ud800","n":9007199254740993}}}'
    const line = Buffer.from(`${text}\n`)
    for (let cut = 1; cut < line.length; cut += 1) {
      agent.write(line.subarray(0, cut))
      agent.write(line.subarray(cut))
      expect(await toEditor.raw()).toBe(text)
    }
    for (const byte of line) agent.write(Buffer.from([byte]))
    expect(await toEditor.raw()).toBe(text)
  })
})
