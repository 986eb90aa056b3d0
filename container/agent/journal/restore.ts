/** A session's state as its journal leaves it. */
import type { Message } from '../model/model.ts'
import { closeOpenCalls } from '../session/conversation.ts'
import type { JournalRecord } from './record.ts'

export type Restored = {
  cwd: string
  messages: Message[]
  options: Extract<JournalRecord, { type: 'options' }> | undefined
  titled: boolean
  /** US dollars. */
  cost: number | undefined
}

/** `undefined` when the journal has no beginning. */
export function restore(records: JournalRecord[]): Restored | undefined {
  const header = records.find((record) => record.type === 'session')
  if (header === undefined) return undefined
  const messages: Message[] = []
  for (const record of records) {
    if (record.type === 'message') messages.push(record.message)
    if (record.type === 'cut') messages.splice(record.length)
  }
  return {
    cwd: header.cwd,
    messages: closeOpenCalls(messages, 'Not run: the session was interrupted.'),
    options: records.findLast((record) => record.type === 'options'),
    cost: records.findLast((record) => record.type === 'stop')?.cost,
    titled: records.some((record) => record.type === 'prompt'),
  }
}
