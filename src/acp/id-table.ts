import type { JsonId } from './frame.ts'

/**
 * Request ids of agents on their way to the editor. Every agent numbers its own requests from 0,
 * so the editor sees each under an id of ours; the answer gets the agent's own spelling back.
 */
export class IdTable {
  readonly #prefix: string
  readonly #open = new Map<string, { raw: string; key: string; method: string }>()
  #next = 1

  /** `prefix` is unique to one container on the connection. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Takes an agent's request id, as spelled and as a table key; gives the id the editor sees. */
  open(raw: string, key: string, method: string): string {
    const id = `${this.#prefix}-${this.#next}`
    this.#next += 1
    this.#open.set(id, { raw, key, method })
    return id
  }

  /** The agent's spelling for an id the editor answers, once. */
  close(id: JsonId): { raw: string; method: string } | undefined {
    if (typeof id !== 'string') return undefined
    const entry = this.#open.get(id)
    this.#open.delete(id)
    return entry
  }

  /** The id the editor knows an agent's open request by. */
  find(key: string): string | undefined {
    for (const [id, entry] of this.#open) if (entry.key === key) return id
    return undefined
  }

  /** Ends all open requests, or those of one method. */
  closeAll(method?: string): { id: string; raw: string }[] {
    const ended = [...this.#open].filter(
      ([, entry]) => method === undefined || entry.method === method,
    )
    for (const [id] of ended) this.#open.delete(id)
    return ended.map(([id, { raw }]) => ({ id, raw }))
  }

  get size(): number {
    return this.#open.size
  }

  has(id: JsonId): boolean {
    return typeof id === 'string' && this.#open.has(id)
  }
}
