import { anthropicEvents } from './anthropic-events.ts'
/** The Anthropic Messages API, streaming (docs.anthropic.com, "Streaming Messages"). */
import { anthropicMessages } from './anthropic-messages.ts'
import type { Effort, Model, ModelEvent, ModelRequest } from './model.ts'
import { postForStream } from './post.ts'

export type AnthropicOptions = {
  model: string
  baseUrl: string
  apiKey: string
  contextWindow: number
}

const THINKING_MODELS = /claude-(3-7|(opus|sonnet|haiku)-[4-9])/
/** Budgets in tokens (the API's smallest is 1,024). */
const THINKING_TOKENS: Record<Effort, number> = { off: 0, low: 4096, medium: 12_288, high: 24_576 }

/** Output tokens when the turn asks for no other number; the API wants one. */
const DEFAULT_MAX_TOKENS = 8192

export function anthropicModel(options: AnthropicOptions): Model {
  return {
    name: options.model,
    contextWindow: options.contextWindow,
    ...thinkingOf(options.model),
    stream: (request, signal) => stream(options, request, signal),
  }
}

async function* stream(
  options: AnthropicOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const bytes = await postForStream({
    url: `${options.baseUrl}/v1/messages`,
    headers: { 'x-api-key': options.apiKey, 'anthropic-version': '2023-06-01' },
    body: bodyOf(options.model, request),
    signal,
    apiKey: options.apiKey,
  })
  yield* anthropicEvents(bytes, signal)
}

function thinkingOf(model: string): Pick<Model, 'efforts' | 'defaultEffort'> {
  if (!THINKING_MODELS.test(model)) return { efforts: [], defaultEffort: undefined }
  return { efforts: ['off', 'low', 'medium', 'high'], defaultEffort: 'off' }
}

function bodyOf(model: string, request: ModelRequest): unknown {
  const budget = THINKING_TOKENS[request.effort ?? 'off']
  return {
    model,
    // The limit counts thinking too, and has to be above its budget.
    max_tokens: (request.maxTokens ?? DEFAULT_MAX_TOKENS) + budget,
    ...(budget === 0 ? {} : { thinking: { type: 'enabled', budget_tokens: budget } }),
    stream: true,
    // Two marks cover everything: tools and system up to the first, the conversation up to the last.
    system: [{ type: 'text', text: request.system, cache_control: { type: 'ephemeral' } }],
    messages: anthropicMessages(request.messages),
    tools: request.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema,
    })),
  }
}
