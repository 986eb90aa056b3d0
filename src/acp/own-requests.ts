/** Requests that Glovebox itself makes of an agent; their answers never reach the editor. */
import { randomBytes } from 'node:crypto'

import { GloveboxError } from '../errors.ts'
import { idKey, isRecord, type ResponseFrame } from './frame.ts'

/** No editor's request id begins like this, so that ids of ours and theirs never meet. */
const OURS = `glovebox-${randomBytes(6).toString('hex')}`

type Waiter = { resolve: (result: unknown) => void; reject: (error: Error) => void }

export class OwnRequests {
  readonly #open = new Map<string, Waiter>()
  #next = 1

  /** A new id, and its answer to come. */
  open(): { id: string; answer: Promise<unknown> } {
    const id = `${OURS}-${this.#next}`
    this.#next += 1
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    // Whoever asks may have given up by then.
    promise.catch(() => undefined)
    this.#open.set(idKey(id), { resolve, reject })
    return { id, answer: promise }
  }

  /** False when the frame answers no request of ours. */
  settle(frame: ResponseFrame): boolean {
    const waiter = this.#open.get(idKey(frame.id))
    if (waiter === undefined) return false
    this.#open.delete(idKey(frame.id))
    if (!frame.failed) waiter.resolve(frame.message['result'])
    else waiter.reject(failure(`The agent answered with an error: ${messageOf(frame)}`))
    return true
  }

  /** The agent will answer nothing more. */
  failAll(why: string): void {
    for (const { reject } of this.#open.values()) reject(failure(why))
    this.#open.clear()
  }
}

function messageOf({ message }: ResponseFrame): string {
  const error = message['error']
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : '?'
}

function failure(what: string): GloveboxError {
  return new GloveboxError('container_failed', what)
}
