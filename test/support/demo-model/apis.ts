/** The same turn in each provider's API: a prompt, a tool call, its answer. */
import { z } from 'zod'

const PROMPT = 'demo: run ls'

type Said = { text: string; calls: { name: string; input: unknown }[] }

export type Api = {
  path: (stream: boolean) => string
  headers: (key: string) => Record<string, string>
  /** A first request, or the second one, which answers its call with `listing`. */
  body: (options: { stream: boolean; answered: boolean }) => object
  /** What one JSON answer, or one event of a stream, says. */
  said: (piece: unknown) => Said
  /** The output tokens that one JSON answer, or the last events, tell. */
  output: (piece: unknown) => number | undefined
}

const SCHEMA = { type: 'object', properties: { command: {} }, required: ['command'] }

const ToolCall = z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })
const Delta = z.object({ content: z.string().nullish(), tool_calls: z.array(ToolCall).optional() })
const ChatPiece = z.object({
  choices: z.array(z.object({ delta: Delta.optional(), message: Delta.optional() })),
  usage: z.object({ completion_tokens: z.number() }).optional(),
})

const chat: Api = {
  path: () => '/v1/chat/completions',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: ({ stream, answered }) => ({
    model: 'any',
    stream,
    messages: [
      { role: 'system', content: 'You work.' },
      { role: 'user', content: [{ type: 'text', text: PROMPT }] },
      ...(answered ? CHAT_ANSWER : []),
    ],
    tools: [{ type: 'function', function: { name: 'shell', parameters: SCHEMA } }],
  }),
  said: (piece) => {
    const parts = ChatPiece.parse(piece).choices.map(({ delta, message }) => delta ?? message ?? {})
    return {
      text: parts.map(({ content }) => content ?? '').join(''),
      calls: parts
        .flatMap(({ tool_calls: calls = [] }) => calls)
        .map((call) => ({ name: call.function.name, input: JSON.parse(call.function.arguments) })),
    }
  },
  output: (piece) => ChatPiece.parse(piece).usage?.completion_tokens,
}

const CHAT_ANSWER = [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'shell', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'listing' },
]

const Item = z.looseObject({
  type: z.string(),
  content: z.array(z.object({ text: z.string() })).optional(),
  name: z.string().default(''),
  arguments: z.string().default('{}'),
})
const ResponsesPiece = z.object({
  type: z.string().optional(),
  item: Item.optional(),
  output: z.array(Item).optional(),
  usage: z.object({ output_tokens: z.number() }).optional(),
  response: z.object({ usage: z.object({ output_tokens: z.number() }).nullish() }).optional(),
})

const responses: Api = {
  path: () => '/v1/responses',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: ({ stream, answered }) => ({
    model: 'any',
    stream,
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You work.' }] },
      { role: 'user', content: '<environment_context>here</environment_context>' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: PROMPT }] },
      ...(answered ? RESPONSES_ANSWER : []),
    ],
    tools: [{ type: 'function', name: 'shell', parameters: SCHEMA }, { type: 'web_search' }],
  }),
  said: (piece) => {
    const { type, item, output = [] } = ResponsesPiece.parse(piece)
    const items = type === 'response.output_item.done' && item !== undefined ? [item] : output
    return {
      text: items.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(''),
      calls: items
        .filter((one) => one.type === 'function_call')
        .map((call) => ({ name: call.name, input: JSON.parse(call.arguments) })),
    }
  },
  output: (piece) => {
    const { usage, response } = ResponsesPiece.parse(piece)
    return usage?.output_tokens ?? response?.usage?.output_tokens
  },
}

const RESPONSES_ANSWER = [
  { type: 'reasoning', summary: [] },
  { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c', output: 'listing' },
]

const Part = z.object({
  text: z.string().optional(),
  functionCall: z.object({ name: z.string(), args: z.unknown() }).optional(),
})
const GeminiPiece = z.object({
  candidates: z.array(z.object({ content: z.object({ parts: z.array(Part) }) })),
  usageMetadata: z.object({ candidatesTokenCount: z.number() }).optional(),
})

const gemini: Api = {
  path: (stream) =>
    `/v1beta/models/any:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: (key) => ({ 'x-goog-api-key': key }),
  body: ({ answered }) => ({
    contents: [
      {
        role: 'user',
        parts: [{ text: '<session_context>here</session_context>' }, { text: PROMPT }],
      },
      ...(answered ? GEMINI_ANSWER : []),
    ],
    tools: [{ functionDeclarations: [{ name: 'shell', parametersJsonSchema: SCHEMA }] }],
  }),
  said: (piece) => {
    const parts = GeminiPiece.parse(piece).candidates.flatMap(({ content }) => content.parts)
    return {
      text: parts.map(({ text = '' }) => text).join(''),
      calls: parts.flatMap(({ functionCall: call }) =>
        call === undefined ? [] : [{ name: call.name, input: call.args }],
      ),
    }
  },
  output: (piece) => GeminiPiece.parse(piece).usageMetadata?.candidatesTokenCount,
}

const GEMINI_ANSWER = [
  {
    role: 'model',
    parts: [
      { text: 'demo: run not-said-by-the-user', thought: true },
      { functionCall: { name: 'shell', args: {} } },
    ],
  },
  {
    role: 'user',
    parts: [{ functionResponse: { name: 'shell', response: { output: 'listing' } } }],
  },
]

export const APIS: [name: string, api: Api][] = [
  ['Chat Completions', chat],
  ['Responses', responses],
  ['Gemini', gemini],
]
