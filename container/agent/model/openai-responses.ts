/** The OpenAI Responses API, streaming. Nothing is stored at the provider. */
import { z } from 'zod'

import { oneLine, sentence } from '../visible.ts'
import { ModelError } from './model.ts'
import type { AssistantPart, Model, ModelEvent, ModelRequest, ModelStop, Usage } from './model.ts'
import type { OpenAiOptions } from './openai-chat.ts'
import { reasoningOf } from './openai-reasoning.ts'
import { responsesInput } from './openai-responses-input.ts'
import { postForStream } from './post.ts'
import { serverSentEvents } from './sse.ts'
import { toolCallPart } from './tool-input.ts'

export function openAiResponsesModel(options: OpenAiOptions): Model {
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
    url: `${options.baseUrl}/v1/responses`,
    headers: { authorization: `Bearer ${options.apiKey}` },
    body: bodyOf(options.model, request),
    signal,
    apiKey: options.apiKey,
  })
  yield* eventsOf(bytes, signal)
}

function bodyOf(model: string, request: ModelRequest): unknown {
  const { effort } = request
  return {
    model,
    stream: true,
    store: false,
    instructions: request.system,
    input: responsesInput(request.messages),
    tools: request.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),
    ...(request.maxTokens === undefined ? {} : { max_output_tokens: request.maxTokens }),
    // Without storage the reasoning has to be carried along, and comes sealed for that.
    ...(effort === undefined
      ? {}
      : { reasoning: { effort, summary: 'auto' }, include: ['reasoning.encrypted_content'] }),
  }
}

const Content = z.object({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
})
const Item = z.object({
  type: z.string(),
  id: z.string().nullish(),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  encrypted_content: z.string().nullish(),
  content: z.array(Content).nullish(),
  summary: z.array(Content).nullish(),
})
const Failure = z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish()
const Finished = z.object({
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  error: Failure,
  usage: z
    .object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
})
const Event = z.object({
  type: z.string(),
  delta: z.string().optional(),
  item: Item.optional(),
  response: Finished.optional(),
  message: z.string().nullish(),
})
type Event = z.infer<typeof Event>
type Item = z.infer<typeof Item>

/** What the end of the stream has to know of what came before. */
type Gathered = { calls: boolean; refused: boolean }

async function* eventsOf(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const gathered: Gathered = { calls: false, refused: false }
  try {
    for await (const { data } of serverSentEvents(bytes)) {
      if (data === '[DONE]') break
      const parsed = Event.safeParse(JSON.parse(data))
      if (!parsed.success) continue
      yield* onEvent(parsed.data, gathered)
      if (isEnd(parsed.data.type)) return
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError) throw error
    throw new ModelError('broken', 'The model’s answer broke off.', { cause: error })
  }
  throw new ModelError('broken', 'The model’s answer broke off.')
}

function isEnd(type: string): boolean {
  return type === 'response.completed' || type === 'response.incomplete'
}

/** Deltas that the user sees, as what. */
const SHOWN = new Map<string, 'text' | 'thinking'>([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'text'],
  ['response.reasoning_summary_text.delta', 'thinking'],
])

function* onEvent(event: Event, gathered: Gathered): Generator<ModelEvent> {
  const { type, delta = '', item, response } = event
  if (type === 'response.failed') throw failure(response?.error?.message)
  if (type === 'error') throw failure(event.message)
  if (isEnd(type)) yield* ending(response, gathered)
  const shown = SHOWN.get(type)
  if (shown !== undefined) yield { type: shown, text: delta }
  if (type === 'response.output_item.done' && item !== undefined)
    for (const part of partsOf(item, gathered)) yield { type: 'part', part }
}

function partsOf(item: Item, gathered: Gathered): AssistantPart[] {
  if (item.type === 'reasoning') return [reasoningPart(item)]
  if (item.type === 'message') return messageParts(item.content ?? [], gathered)
  if (item.type !== 'function_call') return []
  gathered.calls = true
  return [toolCallPart(item.call_id ?? '', item.name ?? '', item.arguments ?? '')]
}

function messageParts(content: z.infer<typeof Content>[], gathered: Gathered): AssistantPart[] {
  if (content.some((piece) => piece.type === 'refusal')) gathered.refused = true
  const text = content.map((piece) => piece.text ?? piece.refusal ?? '').join('')
  return text === '' ? [] : [{ type: 'text', text }]
}

function reasoningPart(item: Item): AssistantPart {
  const text = (item.summary ?? []).map((piece) => piece.text ?? '').join('\n')
  const sealed = item.encrypted_content ?? ''
  if (sealed === '') return { type: 'thinking', text }
  return { type: 'thinking', text, seal: { id: item.id ?? '', encrypted: sealed } }
}

function* ending(
  response: z.infer<typeof Finished> | undefined,
  gathered: Gathered,
): Generator<ModelEvent> {
  if (response?.usage) yield { type: 'usage', usage: usageOf(response.usage) }
  yield { type: 'stop', reason: stopOf(response?.incomplete_details?.reason, gathered) }
}

function stopOf(incomplete: string | null | undefined, gathered: Gathered): ModelStop {
  if (gathered.refused || incomplete === 'content_filter') return 'refusal'
  if (incomplete) return 'max-tokens'
  return gathered.calls ? 'tools' : 'end'
}

function usageOf(usage: NonNullable<z.infer<typeof Finished>['usage']>): Usage {
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0
  const input = Math.max(0, usage.input_tokens - cacheRead)
  return { input, cacheRead, cacheWrite: 0, output: usage.output_tokens }
}

function failure(message: string | null | undefined): ModelError {
  const said = oneLine(message ?? 'an error without words', 500)
  return new ModelError('broken', sentence(`The model provider reported: ${said}`))
}
