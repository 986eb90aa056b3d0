/** What the turn loop knows of a model, whichever API is behind it. */

type TextPart = { type: 'text'; text: string }
export type ImagePart = { type: 'image'; mimeType: string; data: string }
export type UserPart = TextPart | ImagePart

/** What a provider wants back untouched so that it can go on thinking. */
type ThinkingSeal = { signature: string } | { redacted: string } | { id: string; encrypted: string }
export type ThinkingPart = { type: 'thinking'; text: string; seal?: ThinkingSeal }

export type ToolCallPart = {
  type: 'tool-call'
  id: string
  name: string
  input: unknown
  /** The text the model wrote where JSON was expected, when it was none. */
  notJson?: string
}
export type AssistantPart = TextPart | ThinkingPart | ToolCallPart

export type ToolResultPart = {
  callId: string
  text: string
  failed: boolean
  images?: ImagePart[]
}

export type Message =
  | { role: 'user'; parts: UserPart[] }
  | { role: 'assistant'; parts: AssistantPart[] }
  | { role: 'tools'; results: ToolResultPart[] }

/** Tokens of one response. `input` is what was neither read from nor written to the cache. */
export type Usage = { input: number; cacheRead: number; cacheWrite: number; output: number }

export type ModelStop = 'end' | 'tools' | 'max-tokens' | 'refusal' | 'pause'

export type ModelEvent =
  /** A piece to show at once. */
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** A whole piece to keep. */
  | { type: 'part'; part: AssistantPart }
  | { type: 'usage'; usage: Usage }
  | { type: 'stop'; reason: ModelStop }

export type ToolSpec = { name: string; description: string; inputSchema: Record<string, unknown> }

export type ModelRequest = {
  system: string
  messages: Message[]
  tools: ToolSpec[]
  /** Output tokens; the model's default when absent. */
  maxTokens?: number
  effort?: Effort
}

/** How much the model thinks before it answers. */
export type Effort = 'off' | 'low' | 'medium' | 'high'

export interface Model {
  readonly name: string
  /** Tokens. */
  readonly contextWindow: number
  /** The words it knows for its effort; none where it cannot be set. */
  readonly efforts: readonly Effort[]
  readonly defaultEffort: Effort | undefined
  /**
   * One response, whose last event is `stop`.
   * @throws ModelError; or the signal's reason when it is aborted.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

/** How the request failed, which decides whether it is sent again. */
export type ModelFailure =
  /** The stream began and broke. */
  | 'broken'
  /** The provider is busy or ill (408, 429, 5xx), or could not be reached. */
  | 'busy'
  /** The provider does not want this request. */
  | 'refused'

/** A request that failed; the message is a sentence with the provider's own words in it. */
export class ModelError extends Error {
  readonly failure: ModelFailure
  readonly status: number | undefined
  /** What `Retry-After` asked for, in milliseconds. */
  readonly retryAfter: number | undefined
  constructor(
    failure: ModelFailure,
    message: string,
    details: { status?: number; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.name = 'ModelError'
    this.failure = failure
    this.status = details.status
    this.retryAfter = details.retryAfter
  }
}
