/** OpenAI's Chat Completions, which most other providers speak too. */
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

const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})

const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: OpenAiContent.nullish(),
  tool_calls: z.array(ToolCall).optional(),
  tool_call_id: z.string().optional(),
})

const Tool = z.looseObject({
  function: z.looseObject({ name: z.string(), parameters: Parameters.optional() }),
})

const Request = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).optional(),
  stream: z.boolean().optional(),
})

const FINISHES = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
} as const

export const chatCompletions: Dialect = {
  read(body) {
    const parsed = Request.safeParse(body)
    if (!parsed.success) return firstIssue(parsed.error)
    const { model, messages, tools = [], stream = false } = parsed.data
    return {
      model,
      stream,
      messages: messages.map(toMessage),
      tools: tools.map(({ function: { name, parameters } }) => ({
        name,
        input_schema: parameters,
      })),
    }
  },

  send(response, reply, options) {
    const message = {
      role: 'assistant',
      content: reply.text,
      ...(reply.call === undefined ? {} : { tool_calls: [toolCall(reply.call)] }),
    }
    const choice = { index: 0, message, finish_reason: FINISHES[reply.stop] }
    sendJson(response, 200, {
      ...head(options, 'chat.completion'),
      choices: [choice],
      ...usage(reply, options),
    })
  },

  async stream(response, reply, options) {
    startEvents(response)
    const common = head(options, 'chat.completion.chunk')
    const write = (fields: object) =>
      writeText(response, `data: ${JSON.stringify({ ...common, ...fields })}\n\n`, options.signal)
    const delta = (fields: object, finish_reason: string | null = null) =>
      write({ choices: [{ index: 0, delta: fields, finish_reason }] })
    await delta({ role: 'assistant', content: '' })
    for await (const content of wordsOf(reply, options)) await delta({ content })
    if (reply.call !== undefined) {
      await delta({ tool_calls: [{ index: 0, ...toolCall(reply.call) }] })
    }
    await delta({}, FINISHES[reply.stop])
    await write({ choices: [], ...usage(reply, options) })
    await writeText(response, 'data: [DONE]\n\n', options.signal)
    response.end()
  },

  fault: openAiFault,
}

function toMessage(message: z.infer<typeof Message>): MessagesRequest['messages'][number] {
  const { role, content, tool_calls: calls = [], tool_call_id: id = '' } = message
  if (role === 'tool') {
    const result = { type: 'tool_result', tool_use_id: id, content: contentOf(content) }
    return { role: 'user', content: [result] }
  }
  if (role === 'assistant') {
    const uses = calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.function.name }))
    return { role, content: [...contentOf(content), ...uses] }
  }
  return { role: role === 'user' ? 'user' : 'system', content: contentOf(content) }
}

function toolCall({ name, input }: NonNullable<Reply['call']>) {
  const id = `call_${randomBytes(12).toString('hex')}`
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function head({ model }: AnswerOptions, object: string) {
  const id = `chatcmpl-${randomBytes(12).toString('hex')}`
  return { id, object, created: Math.floor(Date.now() / 1000), model }
}

function usage(reply: Reply, { inputTokens }: AnswerOptions) {
  const completion_tokens = outputTokens(reply)
  const total_tokens = inputTokens + completion_tokens
  return { usage: { prompt_tokens: inputTokens, completion_tokens, total_tokens } }
}
