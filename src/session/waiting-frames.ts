/** Requests of the editor that wait until the session has a container again. */
import { idKey, type RequestFrame } from '../acp/frame.ts'

export class WaitingFrames {
  readonly #frames = new Map<string, RequestFrame>()

  keep(frame: RequestFrame): void {
    this.#frames.set(idKey(frame.id), frame)
  }

  has(key: string): boolean {
    return this.#frames.has(key)
  }

  /** Takes those of one method, or all, away in the order they came. */
  take(method?: string): RequestFrame[] {
    const taken = [...this.#frames].filter(([, frame]) => (method ?? frame.method) === frame.method)
    for (const [key] of taken) this.#frames.delete(key)
    return taken.map(([, frame]) => frame)
  }

  /** Takes the one with this id away when it has this method. */
  takeOne(key: string, method: string): RequestFrame | undefined {
    const frame = this.#frames.get(key)
    if (frame?.method !== method) return undefined
    this.#frames.delete(key)
    return frame
  }
}
