/** OpenAI's Responses API. */
import { randomBytes } from 'node:crypto'

import { z } from 'zod'

import type { Reply } from './brain.ts'
import type { MessagesRequest } from './conversation.ts'
import {
  type AnswerOptions,
  type Dialect,
  outputTokens,
  sendJson,
  startEvents,
  wordsOf,
  writeText,
} from './dialect.ts'
import { contentOf, firstIssue, openAiFault, OpenAiContent, Parameters } from './openai.ts'

const Item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  content: OpenAiContent.nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  output: OpenAiContent.optional(),
})

const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: Parameters.nullish(),
})

const Request = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(Item).min(1)]),
  tools: z.array(Tool).optional(),
  stream: z.boolean().optional(),
})

type Message = MessagesRequest['messages'][number]

export const responses: Dialect = {
  read(body) {
    const parsed = Request.safeParse(body)
    if (!parsed.success) return firstIssue(parsed.error)
    const { model, input, tools = [], stream = false } = parsed.data
    const messages: Message[] =
      typeof input === 'string' ? [{ role: 'user', content: input }] : input.flatMap(toMessage)
    const functions = tools.flatMap(({ type, name, parameters }) =>
      type === 'function' && name !== undefined
        ? [{ name, input_schema: parameters ?? undefined }]
        : [],
    )
    return { model, stream, messages, tools: functions }
  },

  send(response, reply, options) {
    sendJson(response, 200, whole(reply, options, itemsOf(reply)))
  },

  async stream(response, reply, options) {
    startEvents(response)
    let sequence_number = 0
    const send = (type: string, fields: object) => {
      const event = { type, sequence_number, ...fields }
      sequence_number += 1
      return writeText(
        response,
        `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`,
        options.signal,
      )
    }
    const items = itemsOf(reply)
    const begun = { ...whole(reply, options, []), status: 'in_progress', usage: null }
    await send('response.created', { response: begun })
    for (const [output_index, item] of items.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- a stream has an order
      await streamItem(send, output_index, item, reply, options)
    }
    const done = whole(reply, options, items)
    await send(`response.${done.status}`, { response: done })
    response.end()
  },

  fault: openAiFault,
}

type Send = (type: string, fields: object) => Promise<void>
type Output = ReturnType<typeof itemsOf>[number]

async function streamItem(
  send: Send,
  output_index: number,
  item: Output,
  reply: Reply,
  options: AnswerOptions,
): Promise<void> {
  const empty = item.type === 'message' ? { content: [] } : { arguments: '' }
  const added = { ...item, ...empty, status: 'in_progress' }
  await send('response.output_item.added', { output_index, item: added })
  const where = { item_id: item.id, output_index }
  if (item.type === 'message') {
    const content_index = 0
    for await (const delta of wordsOf(reply, options)) {
      await send('response.output_text.delta', { ...where, content_index, delta })
    }
  } else {
    await send('response.function_call_arguments.delta', { ...where, delta: item.arguments })
  }
  await send('response.output_item.done', { output_index, item })
}

function toMessage(item: z.infer<typeof Item>): Message[] {
  const { type, role, content, call_id: id = '', name = '', output } = item
  if (type === 'function_call') {
    return [{ role: 'assistant', content: [{ type: 'tool_use', id, name }] }]
  }
  if (type === 'function_call_output') {
    const result = { type: 'tool_result', tool_use_id: id, content: contentOf(output) }
    return [{ role: 'user', content: [result] }]
  }
  if (type !== 'message') return []
  const known = role === 'user' || role === 'assistant' ? role : 'system'
  return [{ role: known, content: contentOf(content) }]
}

function itemsOf(reply: Reply) {
  const status = 'completed'
  const content = [{ type: 'output_text', text: reply.text, annotations: [] }]
  const message = { type: 'message', id: newId('msg'), role: 'assistant', status, content } as const
  if (reply.call === undefined) return [message]
  const { name, input } = reply.call
  const call = { name, call_id: newId('call'), arguments: JSON.stringify(input) }
  return [message, { type: 'function_call', id: newId('fc'), status, ...call } as const]
}

function whole(reply: Reply, { model, inputTokens }: AnswerOptions, output: Output[]) {
  const reasons: Partial<Record<Reply['stop'], string>> = {
    max_tokens: 'max_output_tokens',
    refusal: 'content_filter',
  }
  const reason = reasons[reply.stop]
  const output_tokens = outputTokens(reply)
  return {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model,
    status: reason === undefined ? 'completed' : 'incomplete',
    ...(reason === undefined ? {} : { incomplete_details: { reason } }),
    output,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + output_tokens,
    },
  }
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}
