import type { NotificationFrame, RequestFrame } from './frame.ts'

/** At most this much is held back, in bytes. */
const LIMIT = 1024 * 1024

/**
 * Frames of a session whose `session/new` is not answered yet. They wait, because several editors
 * hang or lose an update that overtakes the answer.
 */
export class HeldFrames {
  #frames: (RequestFrame | NotificationFrame)[] = []
  #size = 0

  /** False when there is no room: the frame is then judged at once. */
  keep(frame: RequestFrame | NotificationFrame): boolean {
    if (this.#size + frame.bytes.length > LIMIT) return false
    this.#size += frame.bytes.length
    this.#frames.push(frame)
    return true
  }

  take(): (RequestFrame | NotificationFrame)[] {
    const frames = this.#frames
    this.#frames = []
    this.#size = 0
    return frames
  }
}
