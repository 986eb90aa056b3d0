/** Google's Gemini API. */
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
import { firstIssue, Parameters } from './openai.ts'

const Part = z.looseObject({
  text: z.string().optional(),
  /** The model's own thoughts come back marked. */
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ name: z.string() }).optional(),
  functionResponse: z.looseObject({ response: z.record(z.string(), z.unknown()) }).optional(),
})

const Content = z.looseObject({
  role: z.enum(['user', 'model', 'function']).default('user'),
  parts: z.array(Part),
})

const Declaration = z.looseObject({
  name: z.string(),
  parametersJsonSchema: Parameters.optional(),
  parameters: Parameters.optional(),
})

const Request = z.looseObject({
  contents: z.array(Content).min(1),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(Declaration).optional() }))
    .optional(),
  generationConfig: z.looseObject({ responseJsonSchema: z.unknown().optional() }).optional(),
})

type Blocks = Exclude<MessagesRequest['messages'][number]['content'], string>

const FINISHES = {
  end_turn: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
} as const

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

export const gemini: Dialect = {
  read(body, path) {
    const parsed = Request.safeParse(body)
    if (!parsed.success) return firstIssue(parsed.error)
    const { contents, tools = [], generationConfig } = parsed.data
    const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      stream: path.endsWith(':streamGenerateContent'),
      messages: messagesOf(contents),
      tools: declared.map(({ name, parametersJsonSchema, parameters }) => ({
        name,
        input_schema: parametersJsonSchema ?? parameters,
      })),
      schema: generationConfig?.responseJsonSchema,
    }
  },

  send(response, reply, options) {
    sendJson(response, 200, piece(options, partsOf(reply.text, reply), reply))
  },

  async stream(response, reply, options) {
    startEvents(response)
    const send = (value: object) =>
      writeText(response, `data: ${JSON.stringify(value)}\n\n`, options.signal)
    for await (const text of wordsOf(reply, options)) await send(piece(options, [{ text }]))
    await send(piece(options, partsOf('', reply), reply))
    response.end()
  },

  fault(code, message) {
    return { error: { code, message, status: STATUSES[code] ?? 'INTERNAL' } }
  },
}

/** Calls and their answers need not have ids: the order tells which belong together. */
function messagesOf(contents: z.infer<typeof Content>[]): MessagesRequest['messages'] {
  let [calls, answers] = [0, 0]
  const nextId = (kind: 'call' | 'answer') => `call-${kind === 'call' ? calls++ : answers++}`
  return contents.map(({ role, parts }) => ({
    role: role === 'model' ? ('assistant' as const) : ('user' as const),
    content: parts.flatMap((part) => blocksOf(part, nextId)),
  }))
}

function blocksOf(part: z.infer<typeof Part>, nextId: (kind: 'call' | 'answer') => string): Blocks {
  const { text, thought, functionCall, functionResponse } = part
  if (functionCall !== undefined) {
    return [{ type: 'tool_use', id: nextId('call'), name: functionCall.name }]
  }
  if (functionResponse !== undefined) {
    const { error, output } = functionResponse.response
    const told = error ?? output ?? functionResponse.response
    const content = typeof told === 'string' ? told : JSON.stringify(told)
    const is_error = error !== undefined
    return [{ type: 'tool_result', tool_use_id: nextId('answer'), content, is_error }]
  }
  return text === undefined || thought === true ? [] : [{ type: 'text', text }]
}

function partsOf(text: string, { call }: Reply): object[] {
  const said = text === '' ? [] : [{ text }]
  if (call === undefined) return said.length === 0 ? [{ text: '' }] : said
  return [...said, { functionCall: { name: call.name, args: call.input } }]
}

/** One piece of a reply, the last one when it is given with the reply. */
function piece({ model, inputTokens }: AnswerOptions, parts: object[], reply?: Reply): object {
  const content = { role: 'model', parts }
  if (reply === undefined) return { candidates: [{ index: 0, content }], modelVersion: model }
  const candidatesTokenCount = outputTokens(reply)
  const totalTokenCount = inputTokens + candidatesTokenCount
  return {
    candidates: [{ index: 0, content, finishReason: FINISHES[reply.stop] }],
    modelVersion: model,
    usageMetadata: { promptTokenCount: inputTokens, candidatesTokenCount, totalTokenCount },
  }
}
