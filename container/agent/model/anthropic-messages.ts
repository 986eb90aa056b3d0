/** A conversation in the words of the Anthropic Messages API. */
import type { AssistantPart, ImagePart, Message, ToolResultPart, UserPart } from './model.ts'

type Block = Record<string, unknown> & { type: string }
type ApiMessage = { role: 'user' | 'assistant'; content: Block[] }

/** Neighbours of one role become one message, and the last block is marked for the cache. */
export function anthropicMessages(messages: Message[]): ApiMessage[] {
  const converted: ApiMessage[] = []
  for (const message of messages) {
    const next = apiMessage(message)
    if (next.content.length === 0) continue
    const last = converted.at(-1)
    if (last?.role === next.role) last.content.push(...next.content)
    else converted.push(next)
  }
  markLastForCache(converted)
  return converted
}

function apiMessage(message: Message): ApiMessage {
  if (message.role === 'user') return { role: 'user', content: message.parts.flatMap(userBlock) }
  if (message.role === 'tools') return { role: 'user', content: message.results.map(resultBlock) }
  return { role: 'assistant', content: message.parts.flatMap(assistantBlock) }
}

function userBlock(part: UserPart): Block[] {
  if (part.type === 'image') return [imageBlock(part)]
  // The API refuses blank text blocks.
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
}

function assistantBlock(part: AssistantPart): Block[] {
  if (part.type === 'text')
    return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
  if (part.type === 'tool-call')
    return [{ type: 'tool_use', id: part.id, name: part.name, input: inputOf(part) }]
  // Thinking without this API's seal is refused by it, and not needed.
  const { seal = {} } = part
  if ('redacted' in seal) return [{ type: 'redacted_thinking', data: seal.redacted }]
  if (!('signature' in seal)) return []
  return [{ type: 'thinking', thinking: part.text, signature: seal.signature }]
}

/** The API takes objects only. */
function inputOf(part: { input: unknown; notJson?: string }): unknown {
  if (part.notJson !== undefined) return { not_json: part.notJson }
  return typeof part.input === 'object' && part.input !== null && !Array.isArray(part.input)
    ? part.input
    : { value: part.input }
}

function resultBlock(result: ToolResultPart): Block {
  const text = result.text.trim() === '' ? '(no output)' : result.text
  return {
    type: 'tool_result',
    tool_use_id: result.callId,
    content: [{ type: 'text', text }, ...(result.images ?? []).map(imageBlock)],
    ...(result.failed ? { is_error: true } : {}),
  }
}

function imageBlock(part: ImagePart): Block {
  return {
    type: 'image',
    source: { type: 'base64', media_type: part.mimeType, data: part.data },
  }
}

function markLastForCache(messages: ApiMessage[]): void {
  const block = messages.at(-1)?.content.at(-1)
  if (block !== undefined && !block.type.includes('thinking'))
    block['cache_control'] = { type: 'ephemeral' }
}
