/** The events of the Anthropic Messages API as the turn knows them. */
import { z } from 'zod'

import { oneLine, sentence } from '../visible.ts'
import { ModelError } from './model.ts'
import type { ModelEvent, ModelStop, ThinkingPart, Usage } from './model.ts'
import { serverSentEvents } from './sse.ts'
import { toolCallPart } from './tool-input.ts'

const UsageFields = z.object({
  input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
})

const BlockStart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().default('') }),
  z.object({ type: z.literal('thinking'), thinking: z.string().default('') }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
])

const Delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
])

const Event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ usage: UsageFields.optional() }),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.number(),
    content_block: BlockStart,
  }),
  z.object({ type: z.literal('content_block_delta'), index: z.number(), delta: Delta }),
  z.object({ type: z.literal('content_block_stop'), index: z.number() }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: UsageFields.optional(),
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({
    type: z.literal('error'),
    error: z.object({ type: z.string(), message: z.string() }),
  }),
])
type Event = z.infer<typeof Event>
type Block = z.infer<typeof BlockStart> & { json: string; signature: string }

/** What is gathered while a message streams. */
type Gathered = { blocks: Map<number, Block>; usage: Usage; stop: string | undefined }

/**
 * Reads the events of one message.
 * @throws ModelError when the stream breaks off or reports an error.
 */
export async function* anthropicEvents(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const gathered: Gathered = {
    blocks: new Map(),
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    stop: undefined,
  }
  try {
    for await (const { data } of serverSentEvents(bytes)) {
      const parsed = Event.safeParse(JSON.parse(data))
      // The API may add event and block kinds at any time ("Versioning"): they are passed over.
      if (!parsed.success) continue
      if (parsed.data.type === 'message_stop') {
        yield { type: 'usage', usage: gathered.usage }
        yield { type: 'stop', reason: stopOf(gathered.stop) }
        return
      }
      yield* onEvent(parsed.data, gathered)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError) throw error
    throw new ModelError('broken', 'The model’s answer broke off.', { cause: error })
  }
  throw new ModelError('broken', 'The model’s answer broke off.')
}

function* onEvent(event: Event, gathered: Gathered): Generator<ModelEvent> {
  switch (event.type) {
    case 'message_start':
      addUsage(gathered.usage, event.message.usage)
      return
    case 'content_block_start':
      gathered.blocks.set(event.index, { ...event.content_block, json: '', signature: '' })
      return
    case 'content_block_delta':
      yield* onDelta(event.delta, gathered.blocks.get(event.index))
      return
    case 'content_block_stop':
      yield* onBlockStop(gathered.blocks.get(event.index))
      return
    case 'message_delta':
      gathered.stop = event.delta.stop_reason ?? gathered.stop
      addUsage(gathered.usage, event.usage)
      return
    case 'error':
      throw streamError(event.error)
    case 'message_stop':
  }
}

function* onDelta(delta: z.infer<typeof Delta>, block: Block | undefined): Generator<ModelEvent> {
  if (block === undefined) return
  if (delta.type === 'input_json_delta') block.json += delta.partial_json
  if (delta.type === 'signature_delta') block.signature += delta.signature
  if (delta.type === 'text_delta' && block.type === 'text') {
    block.text += delta.text
    yield { type: 'text', text: delta.text }
  }
  if (delta.type === 'thinking_delta' && block.type === 'thinking') {
    block.thinking += delta.thinking
    yield { type: 'thinking', text: delta.thinking }
  }
}

function* onBlockStop(block: Block | undefined): Generator<ModelEvent> {
  switch (block?.type) {
    case 'text':
      if (block.text !== '') yield { type: 'part', part: { type: 'text', text: block.text } }
      return
    case 'thinking':
      yield { type: 'part', part: thinkingPart(block.thinking, block.signature) }
      return
    case 'redacted_thinking':
      yield { type: 'part', part: { type: 'thinking', text: '', seal: { redacted: block.data } } }
      return
    case 'tool_use':
      yield { type: 'part', part: toolCallPart(block.id, block.name, block.json) }
      return
    case undefined:
  }
}

function thinkingPart(text: string, signature: string): ThinkingPart {
  return signature === ''
    ? { type: 'thinking', text }
    : { type: 'thinking', text, seal: { signature } }
}

/** `message_delta` repeats the totals, so the last number said counts. */
function addUsage(usage: Usage, fields: z.infer<typeof UsageFields> | undefined): void {
  usage.input = fields?.input_tokens ?? usage.input
  usage.cacheRead = fields?.cache_read_input_tokens ?? usage.cacheRead
  usage.cacheWrite = fields?.cache_creation_input_tokens ?? usage.cacheWrite
  usage.output = fields?.output_tokens ?? usage.output
}

function stopOf(reason: string | undefined): ModelStop {
  return STOPS.get(reason ?? '') ?? 'end'
}

const STOPS = new Map<string, ModelStop>([
  ['tool_use', 'tools'],
  ['max_tokens', 'max-tokens'],
  ['model_context_window_exceeded', 'max-tokens'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
])

function streamError(error: { type: string; message: string }): ModelError {
  const passing = /overloaded|api_error|timeout|rate_limit/.test(error.type)
  return new ModelError(
    passing ? 'broken' : 'refused',
    sentence(`The model provider reported ${error.type}: ${oneLine(error.message, 500)}`),
  )
}
