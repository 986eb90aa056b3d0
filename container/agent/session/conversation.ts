/** The messages between user and model, kept so that a provider always takes them. */
import type { WriteRecord } from '../journal/record.ts'
import type { Message, ToolResultPart, UserPart } from '../model/model.ts'

/** A note to the model that is not the user's words. */
export function reminder(text: string): UserPart {
  return { type: 'text', text: `<system-reminder>${text}</system-reminder>` }
}

export type Conversation = {
  /** Not to be changed but by what follows. */
  readonly messages: readonly Message[]
  add: (message: Message) => void
  /** Forgets all but the first so many messages. */
  cut: (length: number) => void
  /** Gives every call without a result this one. */
  closeOpenCalls: (text: string) => void
}

/** Every change is written first, and is in memory only when that went well. */
export function conversation(messages: Message[], write: WriteRecord): Conversation {
  const add = (message: Message) => {
    write({ type: 'message', message })
    messages.push(message)
  }
  const cut = (length: number) => {
    if (length >= messages.length) return
    write({ type: 'cut', length })
    messages.splice(length)
  }
  return {
    messages,
    add,
    cut,
    closeOpenCalls: (text) => {
      const closed = closeOpenCalls(messages, text)
      const first = closed.findIndex((message, index) => message !== messages[index])
      if (first === -1) return
      cut(first)
      for (const message of closed.slice(first)) add(message)
    },
  }
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
