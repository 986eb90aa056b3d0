/** The messages between user and model, kept so that a provider always takes them. */
import type { Message, ToolResultPart, UserPart } from '../model/model.ts'

/** A note to the model that is not the user's words. */
export function reminder(text: string): UserPart {
  return { type: 'text', text: `<system-reminder>${text}</system-reminder>` }
}

/**
 * Gives every call without a result one: providers refuse a conversation with an open call.
 * A turn that broke off leaves such calls behind.
 */
export function closeOpenCalls(messages: Message[], text: string): Message[] {
  return messages.flatMap((message, index): Message[] => {
    if (message.role !== 'assistant') return [message]
    const next = messages[index + 1]
    const answered = next?.role === 'tools' ? next.results.map((result) => result.callId) : []
    const open = message.parts.flatMap((part): ToolResultPart[] =>
      part.type === 'tool-call' && !answered.includes(part.id)
        ? [{ callId: part.id, text, failed: true }]
        : [],
    )
    return open.length === 0 ? [message] : [message, { role: 'tools', results: open }]
  })
}
