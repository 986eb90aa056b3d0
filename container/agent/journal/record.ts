/** What a session's journal holds: one JSON object a line, in the order in which things happened. */
import type { Message } from '../model/model.ts'
import type { Mode } from '../permission/modes.ts'
import type { PromptPiece } from '../session/attach.ts'
import type { TurnEvent } from '../session/events.ts'

/** What of a turn's events is kept; texts and thoughts are in the messages. */
type KeptEvent = Extract<TurnEvent, { type: 'call' | 'call-ended' | 'plan' }>

export type JournalRecord =
  | { type: 'session'; version: 1; id: string; cwd: string; at: string }
  | { type: 'options'; mode: Mode; model: string; effort: string }
  /** What the user sent, before files were attached. */
  | { type: 'prompt'; pieces: PromptPiece[]; at: string }
  | { type: 'message'; message: Message }
  /** The conversation was cut back to so many messages. */
  | { type: 'cut'; length: number }
  | { type: 'event'; event: KeptEvent }
  /** How a turn ended: a stop reason, or `error` with the sentence; `cost` is the session's. */
  | { type: 'stop'; reason: string; message?: string; cost?: number }

/** Where a session's changes are written before they count. */
export type WriteRecord = (record: JournalRecord) => void

const TYPES = ['session', 'options', 'prompt', 'message', 'cut', 'event', 'stop']

/**
 * The records of a journal. A last line that was cut off by a crash is left out, and so is any
 * line that is none of ours.
 */
export function parseJournal(text: string): JournalRecord[] {
  return text.split('\n').flatMap((line): JournalRecord[] => {
    try {
      const value: unknown = JSON.parse(line)
      return isRecord(value) ? [value] : []
    } catch {
      return []
    }
  })
}

function isRecord(value: unknown): value is JournalRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    TYPES.includes(String(value.type))
  )
}
