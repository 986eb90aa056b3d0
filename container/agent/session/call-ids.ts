/** Ids of tool calls: ACP wants them unique in a session, and some servers count anew in each reply. */
import type { AssistantPart, Message } from '../model/model.ts'

/** The parts with another id for each call whose own was taken before. */
export function withUniqueCallIds(
  parts: AssistantPart[],
  before: readonly Message[],
): AssistantPart[] {
  const taken = new Set(before.flatMap(idsIn))
  return parts.map((part) => {
    if (part.type !== 'tool-call') return part
    const id = freeId(part.id, taken)
    taken.add(id)
    return id === part.id ? part : { ...part, id }
  })
}

function idsIn(message: Message): string[] {
  if (message.role !== 'assistant') return []
  return message.parts.flatMap((part) => (part.type === 'tool-call' ? part.id : []))
}

function freeId(id: string, taken: Set<string>): string {
  const wanted = id === '' ? 'call' : id
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? wanted : `${wanted}-${number}`
    if (!taken.has(candidate)) return candidate
  }
}
