/** One whole reply of the model: streamed to the user as it comes, sent again when it breaks. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { ModelError } from '../model/model.ts'
import type {
  AssistantPart,
  Model,
  ModelEvent,
  ModelRequest,
  ModelStop,
  Usage,
} from '../model/model.ts'
import type { TurnPorts } from './events.ts'

export type Reply = { parts: AssistantPart[]; usage: Usage | undefined; stop: ModelStop }

/** How often a broken stream is sent again, and a busy provider asked again. */
const BROKEN_RETRIES = 2
const BUSY_RETRIES = 4
/** Milliseconds. A provider that wants more patience than this gets the turn back as an error. */
const LONGEST_WAIT = 60_000
const FIRST_WAIT = 500

/** Told of the text so far when the reply is cut off by the user. */
export type PartialReply = { text: string }

/**
 * @throws ModelError when the retries are used up; the signal's reason when it is aborted.
 */
export async function receiveReply(
  model: Model,
  request: ModelRequest,
  ports: TurnPorts,
  signal: AbortSignal,
  partial: PartialReply,
): Promise<Reply> {
  let broken = 0
  let busy = 0
  for (;;) {
    partial.text = ''
    try {
      return await streamOnce(model, request, ports, signal, partial)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError)) throw error
      const isBroken = error.failure === 'broken'
      const wait = isBroken ? 0 : waitOf(error, busy)
      if (isBroken ? ++broken > BROKEN_RETRIES : ++busy > BUSY_RETRIES || wait === undefined)
        throw error
      await announce(ports, error, wait ?? 0, partial)
      await sleep(wait, undefined, { signal })
    }
  }
}

/** Milliseconds until the next try; `undefined` when there is to be none. */
export function waitOf(error: ModelError, triesBefore: number): number | undefined {
  if (error.failure === 'refused') return undefined
  const wait = error.retryAfter ?? FIRST_WAIT * 2 ** triesBefore
  return wait > LONGEST_WAIT ? undefined : wait
}

async function announce(
  ports: TurnPorts,
  error: ModelError,
  wait: number,
  partial: PartialReply,
): Promise<void> {
  const again = partial.text === '' ? 'It is asked again' : 'The answer starts again'
  const when = wait >= 1000 ? ` in ${Math.round(wait / 1000)} s` : ''
  await ports.emit({ type: 'notice', text: `${error.message} ${again}${when}.` })
}

async function streamOnce(
  model: Model,
  request: ModelRequest,
  ports: TurnPorts,
  signal: AbortSignal,
  partial: PartialReply,
): Promise<Reply> {
  const reply: Reply = { parts: [], usage: undefined, stop: 'end' }
  const messageId = randomUUID()
  using cut = whenAborted(signal)
  for await (const event of model.stream(request, signal)) {
    signal.throwIfAborted()
    if ('text' in event) {
      if (event.type === 'text') partial.text += event.text
      const id = event.type === 'text' ? messageId : `${messageId}-thought`
      // A client that does not read slows the model down, but never holds up a cancel.
      await Promise.race([ports.emit({ ...event, messageId: id }), cut.promise])
    } else keep(event, reply)
  }
  return reply
}

function keep(event: Exclude<ModelEvent, { text: string }>, reply: Reply): void {
  if (event.type === 'part') reply.parts.push(event.part)
  if (event.type === 'usage') reply.usage = event.usage
  if (event.type === 'stop') reply.stop = event.reason
}

/** One promise and one listener for a whole stream, gone with it. */
function whenAborted(signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) resolve()
  return {
    promise,
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    },
  }
}
