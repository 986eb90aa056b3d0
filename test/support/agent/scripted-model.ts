/** A model server on loopback that answers each request with the next line of a test's script. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'

import { anthropicStream } from './anthropic-stream.ts'
import { chatStream } from './chat-stream.ts'
import { responsesStream } from './responses-stream.ts'

export type Dialect = 'anthropic' | 'openai' | 'responses'

/** One reply of the model, in no provider's words. */
export type ScriptedReply = {
  thinking?: string
  text?: string
  calls?: { id?: string; name: string; input: unknown; notJson?: string }[]
  stop?: 'end' | 'tools' | 'max-tokens' | 'refusal' | 'pause'
  usage?: { input: number; cacheRead: number; output: number }
  /** Break the connection after so many events. */
  breakAfter?: number
}

export type Recorded = {
  path: string
  headers: IncomingMessage['headers']
  // The script looks into whatever the agent sent.
  body: Record<string, unknown> & { messages: Message[]; tools?: { name: string }[] }
  /** The conversation in whatever shape, as text. */
  heard: string
  /** Settles when the connection is gone; true when it went before the answer was complete. */
  aborted: Promise<boolean>
}
type Message = {
  role: string
  content: unknown
  tool_calls?: unknown
  tool_call_id?: string
}

type Respond = (request: Recorded, response: ServerResponse) => Promise<void> | void

export class ScriptedModel implements AsyncDisposable {
  readonly requests: Recorded[] = []
  readonly dialect: Dialect
  readonly #script: Respond[] = []
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  #waiting: (() => void)[] = []

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  get baseUrl(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('not listening')
    return `http://127.0.0.1:${address.port}`
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  /** Adds replies to the script. */
  reply(...replies: (ScriptedReply | ((request: Recorded) => ScriptedReply))[]): this {
    for (const reply of replies)
      this.respond(async (request, response) => {
        const scripted = typeof reply === 'function' ? reply(request) : reply
        await send(response, this.#eventsOf(scripted), scripted.breakAfter)
      })
    return this
  }

  /** Adds a refusal by status to the script. */
  refuse(status: number, body: unknown, headers: Record<string, string> = {}): this {
    return this.respond((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  }

  /** Adds a reply that begins and never ends. */
  hang(reply: ScriptedReply = { text: 'Let me think' }): this {
    return this.respond((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const events = this.#eventsOf(reply)
      response.write(events.slice(0, reply.text === undefined ? 1 : 3).join(''))
    })
  }

  respond(respond: Respond): this {
    this.#script.push(respond)
    return this
  }

  /** The request with this number, counted from 0, once it is there. */
  async request(index: number): Promise<Recorded> {
    for (;;) {
      const found = this.requests[index]
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  #eventsOf(reply: ScriptedReply): string[] {
    if (this.dialect === 'anthropic') return anthropicStream(reply)
    return this.dialect === 'openai' ? chatStream(reply) : responsesStream(reply)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: Recorded['body'] = JSON.parse(await readText(request))
    const aborted = once(response, 'close').then(() => !response.writableFinished)
    const heard = JSON.stringify(body.messages ?? body['input'])
    const { url: path = '', headers } = request
    const recorded = { path, headers, body, heard, aborted }
    this.requests.push(recorded)
    for (const wake of this.#waiting.splice(0)) wake()
    const respond = this.#script.shift()
    if (respond !== undefined) return await respond(recorded, response)
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'the script has no more lines' } }))
  }
}

async function send(
  response: ServerResponse,
  events: string[],
  breakAfter?: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events.slice(0, breakAfter)) response.write(event)
  if (breakAfter === undefined) response.end()
  else {
    // What was written has to arrive before the connection breaks.
    await new Promise((resolve) => setTimeout(resolve, 20))
    response.destroy()
  }
}

export async function scriptedModel(dialect: Dialect = 'anthropic'): Promise<ScriptedModel> {
  return await new ScriptedModel(dialect).listen()
}

/** Everything the model was told by tools in this request, as text. */
export function toolResults(
  request: Recorded | undefined,
): { id: string; text: string; failed: boolean }[] {
  return (request?.body.messages ?? []).flatMap((message) => {
    if (message.role === 'tool')
      return [{ id: message.tool_call_id ?? '', text: String(message.content), failed: false }]
    if (!Array.isArray(message.content)) return []
    return message.content
      .filter((block) => block.type === 'tool_result')
      .map((block) => ({
        id: block.tool_use_id,
        text: block.content.map((part: { text?: string }) => part.text ?? '').join(''),
        failed: block.is_error === true,
      }))
  })
}
