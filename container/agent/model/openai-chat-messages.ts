/** A conversation in the words of OpenAI Chat Completions. */
import type { AssistantPart, ImagePart, Message, ToolResultPart, UserPart } from './model.ts'

type ApiMessage = Record<string, unknown> & { role: 'system' | 'user' | 'assistant' | 'tool' }

export function chatMessages(system: string, messages: Message[]): ApiMessage[] {
  return [{ role: 'system', content: system }, ...messages.flatMap(apiMessages)]
}

function apiMessages(message: Message): ApiMessage[] {
  if (message.role === 'assistant') return assistantMessage(message.parts)
  if (message.role === 'tools') return toolMessages(message.results)
  if (message.parts.length === 0) return []
  return [{ role: 'user', content: userContent(message.parts) }]
}

/** Plain text where there is nothing else: small servers know no other form. */
function userContent(parts: UserPart[]): unknown {
  const texts = parts.filter((part) => part.type === 'text')
  if (texts.length === parts.length) return texts.map((part) => part.text).join('\n')
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : imageContent(part),
  )
}

function assistantMessage(parts: AssistantPart[]): ApiMessage[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  if (text === '' && calls.length === 0) return []
  const message: ApiMessage = { role: 'assistant', content: text === '' ? null : text }
  if (calls.length > 0)
    message['tool_calls'] = calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.notJson ?? JSON.stringify(call.input) },
    }))
  return [message]
}

/** Images cannot stand in a tool message: they follow all of them as the user's. */
function toolMessages(results: ToolResultPart[]): ApiMessage[] {
  const messages = results.map((result): ApiMessage => ({
    role: 'tool',
    tool_call_id: result.callId,
    content: result.text === '' ? '(no output)' : result.text,
  }))
  const images = results.flatMap((result) => result.images ?? [])
  return images.length === 0
    ? messages
    : [...messages, { role: 'user', content: images.map(imageContent) }]
}

function imageContent(part: ImagePart): unknown {
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } }
}
