/** A turn's output as the editor sees it, so that a cancelled turn can be closed for it. */
import { isRecord } from '../acp/frame.ts'

/** Updates that belong to a turn; others, such as a new mode, belong to the session. */
const OF_A_TURN = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
])

/** Updates about the session as it is now: all that is shown of a session while it is restored. */
const OF_THE_PRESENT = new Set([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
])

/** Tool calls of one turn that are kept track of. */
const MAX_CALLS = 1_000
/** Characters of a title in a line. */
const MAX_TITLE = 200

/** The line for a cancel that caught no tool call. */
export const WHOLE_TURN = 'the turn was cancelled.'

/** What the editor is told before the answer to a cancelled prompt. */
export type Closing = {
  /** Ids of the tool calls that the agent left open. */
  failed: string[]
  /** Lines of ours, without the product's name. */
  lines: string[]
}

/** Follows the updates of one session. */
export class TurnOutput {
  /** Id → title of the calls that have not ended. */
  readonly #open = new Map<string, string>()
  /** All calls of the turn. */
  #calls = new Set<string>()
  /** Calls of the last cancelled turn: what still comes of them goes nowhere. */
  #dead = new Set<string>()
  /** Lines with which the agent said itself what was cancelled. */
  readonly #said = new Set<string>()
  #closed = false
  #restoring: boolean
  /** When the last update of a replay went nowhere. */
  #replayedAt = 0

  /** `restored`: the agent tells the history again, which goes nowhere, until a turn begins. */
  constructor(restored = false) {
    this.#restoring = restored
  }

  /** Whether no turn runs that the agent may ask something for: cancelled, or not begun yet. */
  get closed(): boolean {
    return this.#closed || this.#restoring
  }

  /** Milliseconds since the last update of a replay. */
  get quietFor(): number {
    return performance.now() - this.#replayedAt
  }

  begin(): void {
    this.#open.clear()
    this.#calls = new Set()
    this.#said.clear()
    this.#closed = false
    this.#restoring = false
  }

  /** Takes note of an update; false when it is late output of a cancelled turn, or a replay. */
  see(update: Record<string, unknown>): boolean {
    const kind = String(update['sessionUpdate'])
    if (this.#restoring) return this.#ofThePresent(kind)
    if (this.#closed && OF_A_TURN.has(kind)) return false
    const id = update['toolCallId']
    if (typeof id === 'string' && kind.startsWith('tool_call')) return this.#call(kind, id, update)
    if (kind === 'agent_message_chunk') this.#hear(update['content'])
    return true
  }

  /** Ends the turn as cancelled: once, however often it is called. */
  close(): Closing {
    if (this.#closed) return { failed: [], lines: [] }
    const titles = [...this.#open.values()].map((title) => `${title} cancelled.`)
    const lines = titles.filter((line) => !this.#said.has(line))
    if (this.#open.size === 0 && this.#said.size === 0) lines.push(WHOLE_TURN)
    const failed = [...this.#open.keys()]
    this.#open.clear()
    if (this.#calls.size > 0) this.#dead = this.#calls
    this.#closed = true
    return { failed, lines }
  }

  #ofThePresent(kind: string): boolean {
    const present = OF_THE_PRESENT.has(kind)
    if (!present) this.#replayedAt = performance.now()
    return present
  }

  #call(kind: string, id: string, update: Record<string, unknown>): boolean {
    // An agent may use an id again: then it is a new call.
    if (kind === 'tool_call') this.#dead.delete(id)
    if (this.#dead.has(id)) return false
    if (!this.#calls.has(id) && this.#calls.size >= MAX_CALLS) return true
    this.#calls.add(id)
    const { status, title } = update
    if (status === 'completed' || status === 'failed') this.#open.delete(id)
    else if (kind === 'tool_call' || this.#open.has(id)) {
      this.#open.set(id, typeof title === 'string' ? oneLine(title) : (this.#open.get(id) ?? id))
    }
    return true
  }

  #hear(content: unknown): void {
    const text = isRecord(content) ? content['text'] : undefined
    if (typeof text !== 'string') return
    const line = /^\s*Glovebox: (.* cancelled\.)\s*$/s.exec(text)?.[1]
    if (line !== undefined && this.#said.size < MAX_CALLS) this.#said.add(line)
  }
}

function oneLine(title: string): string {
  return title.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE)
}
