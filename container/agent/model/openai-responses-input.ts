/** A conversation in the words of the OpenAI Responses API. */
import type { AssistantPart, ImagePart, Message, ToolResultPart, UserPart } from './model.ts'

type Item = Record<string, unknown>

export function responsesInput(messages: Message[]): Item[] {
  return messages.flatMap((message): Item[] => {
    if (message.role === 'assistant') return message.parts.flatMap(assistantItem)
    if (message.role === 'tools') return message.results.map(resultItem)
    if (message.parts.length === 0) return []
    return [{ role: 'user', content: message.parts.map(userContent) }]
  })
}

function userContent(part: UserPart): Item {
  return part.type === 'text' ? { type: 'input_text', text: part.text } : imageContent(part)
}

function assistantItem(part: AssistantPart): Item[] {
  if (part.type === 'text')
    return [{ role: 'assistant', content: [{ type: 'output_text', text: part.text }] }]
  if (part.type === 'tool-call') {
    const { id: call_id, name } = part
    const text = part.notJson ?? JSON.stringify(part.input)
    return [{ type: 'function_call', call_id, name, arguments: text }]
  }
  // Reasoning without its seal means nothing to the API.
  if (part.seal === undefined || !('encrypted' in part.seal)) return []
  const { id, encrypted } = part.seal
  const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }]
  return [{ type: 'reasoning', id, summary, encrypted_content: encrypted }]
}

function resultItem(result: ToolResultPart): Item {
  const { callId: call_id, images = [] } = result
  const text = result.text === '' ? '(no output)' : result.text
  const output =
    images.length === 0 ? text : [{ type: 'input_text', text }, ...images.map(imageContent)]
  return { type: 'function_call_output', call_id, output }
}

function imageContent(part: ImagePart): Item {
  return { type: 'input_image', image_url: `data:${part.mimeType};base64,${part.data}` }
}
