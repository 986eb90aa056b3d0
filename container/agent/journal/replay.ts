/** A session's history as the events that showed it, for a client that opens it again. */
import type { TurnEvent } from '../session/events.ts'
import type { JournalRecord } from './record.ts'

export function replayed(records: JournalRecord[]): TurnEvent[] {
  const open = new Set<string>()
  const events = records.flatMap((record, index) => eventsOf(record, index, open))
  // A call that a crash left open would go on turning in the editor for ever.
  const closed = [...open].map((id): TurnEvent => ({
    type: 'call-ended',
    id,
    failed: true,
    content: [{ type: 'text', text: 'Interrupted.' }],
    raw: {},
  }))
  return [...events, ...closed]
}

function eventsOf(record: JournalRecord, index: number, open: Set<string>): TurnEvent[] {
  if (record.type === 'prompt')
    return record.pieces.map((piece) => ({ type: 'user', piece, messageId: `replay-${index}` }))
  if (record.type === 'message') return messageEvents(record, `replay-${index}`)
  if (record.type !== 'event') return []
  const { event } = record
  if (event.type === 'call') open.add(event.id)
  if (event.type === 'call-ended') open.delete(event.id)
  return [event]
}

function messageEvents(
  record: Extract<JournalRecord, { type: 'message' }>,
  messageId: string,
): TurnEvent[] {
  if (record.message.role !== 'assistant') return []
  return record.message.parts.flatMap((part): TurnEvent[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text, messageId }]
    if (part.type === 'thinking' && part.text !== '')
      return [{ type: 'thinking', text: part.text, messageId: `${messageId}-thought` }]
    return []
  })
}
