/** OpenAI Chat Completions, streaming; also Ollama, vLLM, LM Studio and company gateways. */
import { z } from 'zod'

import { oneLine, sentence } from '../visible.ts'
import { ModelError } from './model.ts'
import type { Model, ModelEvent, ModelRequest, ModelStop, Usage } from './model.ts'
import { chatMessages } from './openai-chat-messages.ts'
import { reasoningOf } from './openai-reasoning.ts'
import { messageIn, postForStream } from './post.ts'
import { serverSentEvents } from './sse.ts'
import { toolCallPart } from './tool-input.ts'

export type OpenAiOptions = {
  model: string
  baseUrl: string
  apiKey: string
  contextWindow: number
}

export function openAiChatModel(options: OpenAiOptions): Model {
  return {
    name: options.model,
    contextWindow: options.contextWindow,
    ...reasoningOf(options.model),
    stream: (request, signal) => stream(options, request, signal),
  }
}

async function* stream(
  options: OpenAiOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const bytes = await postForStream({
    url: `${options.baseUrl}/v1/chat/completions`,
    headers: { authorization: `Bearer ${options.apiKey}` },
    body: bodyOf(options.model, request),
    signal,
    apiKey: options.apiKey,
  })
  yield* eventsOf(bytes, signal)
}

function bodyOf(model: string, request: ModelRequest): unknown {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: chatMessages(request.system, request.messages),
    ...(request.effort === undefined ? {} : { reasoning_effort: request.effort }),
    ...(request.maxTokens === undefined ? {} : { max_completion_tokens: request.maxTokens }),
    // Some servers refuse an empty list.
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(asFunction) }),
  }
}

function asFunction(tool: ModelRequest['tools'][number]): unknown {
  const { name, description, inputSchema: parameters } = tool
  return { type: 'function', function: { name, description, parameters } }
}

const CallDelta = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
})

const Delta = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  // Two spellings of the same thing: DeepSeek and vLLM, OpenRouter and Ollama.
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(CallDelta).nullish(),
})

const Chunk = z.object({
  choices: z
    .array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() }))
    .nullish(),
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
})
type Delta = z.infer<typeof Delta>
type Chunk = z.infer<typeof Chunk>
type Call = { id: string; name: string; json: string }

/** What is gathered while a message streams. */
type Gathered = {
  text: string
  thinking: string
  refused: boolean
  calls: Map<number, Call>
  usage: Usage | undefined
  finish: string | undefined
}

async function* eventsOf(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const gathered: Gathered = {
    text: '',
    thinking: '',
    refused: false,
    calls: new Map(),
    usage: undefined,
    finish: undefined,
  }
  try {
    for await (const { data } of serverSentEvents(bytes)) {
      if (data === '[DONE]') break
      const body: unknown = JSON.parse(data)
      if (typeof body === 'object' && body !== null && 'error' in body) throw streamError(body)
      const parsed = Chunk.safeParse(body)
      if (parsed.success) yield* onChunk(parsed.data, gathered)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError) throw error
    throw new ModelError('broken', 'The model’s answer broke off.', { cause: error })
  }
  if (gathered.finish === undefined) throw new ModelError('broken', 'The model’s answer broke off.')
  yield* ending(gathered)
}

function* onChunk(chunk: Chunk, gathered: Gathered): Generator<ModelEvent> {
  if (chunk.usage) gathered.usage = usageOf(chunk.usage)
  const choice = chunk.choices?.[0]
  gathered.finish = choice?.finish_reason ?? gathered.finish
  if (choice?.delta) yield* onDelta(choice.delta, gathered)
}

function* onDelta(delta: Delta, gathered: Gathered): Generator<ModelEvent> {
  const thinking = delta.reasoning_content ?? delta.reasoning ?? ''
  if (thinking !== '') {
    gathered.thinking += thinking
    yield { type: 'thinking', text: thinking }
  }
  const refusal = delta.refusal ?? ''
  gathered.refused ||= refusal !== ''
  const text = (delta.content ?? '') + refusal
  if (text !== '') {
    gathered.text += text
    yield { type: 'text', text }
  }
  for (const call of delta.tool_calls ?? []) addCall(gathered.calls, call)
}

/** A call arrives in pieces that share an index; servers without indexes send whole calls. */
function addCall(calls: Map<number, Call>, delta: z.infer<typeof CallDelta>): void {
  const index = delta.index ?? calls.size
  const call = calls.get(index) ?? { id: '', name: '', json: '' }
  call.id ||= delta.id ?? ''
  call.name ||= delta.function?.name ?? ''
  call.json += delta.function?.arguments ?? ''
  calls.set(index, call)
}

function* ending(gathered: Gathered): Generator<ModelEvent> {
  if (gathered.thinking !== '')
    yield { type: 'part', part: { type: 'thinking', text: gathered.thinking } }
  if (gathered.text !== '') yield { type: 'part', part: { type: 'text', text: gathered.text } }
  for (const { id, name, json } of gathered.calls.values()) {
    // Ollama has sent calls without an id; the answer needs one.
    const known = id === '' ? `call_${crypto.randomUUID().slice(0, 8)}` : id
    yield { type: 'part', part: toolCallPart(known, name, json) }
  }
  if (gathered.usage !== undefined) yield { type: 'usage', usage: gathered.usage }
  yield { type: 'stop', reason: stopOf(gathered) }
}

function stopOf(gathered: Gathered): ModelStop {
  if (gathered.refused || gathered.finish === 'content_filter') return 'refusal'
  if (gathered.finish === 'length') return 'max-tokens'
  // Some servers finish with "stop" after tool calls.
  return gathered.calls.size > 0 ? 'tools' : 'end'
}

function usageOf(usage: NonNullable<Chunk['usage']>): Usage {
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0
  return {
    input: Math.max(0, usage.prompt_tokens - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output: usage.completion_tokens,
  }
}

function streamError(body: object): ModelError {
  const said = messageIn(body) ?? 'an error without words'
  return new ModelError('broken', sentence(`The model provider reported: ${oneLine(said, 500)}`))
}
