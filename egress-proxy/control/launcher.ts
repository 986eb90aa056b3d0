/** The channel to the launcher on stdin: messages, heartbeat, end. */
import type { Readable } from 'node:stream'

import { FromLauncher, HEARTBEAT_TIMEOUT, MAX_CONTROL_LINE } from '../messages.ts'
import { explain } from './explain.ts'
import { createLineReader, parseObject } from './lines.ts'
import { watchSilence } from './silence.ts'

export type LauncherEvents = {
  onMessage: (message: FromLauncher) => void
  /** A line that is no message, with what is wrong with it: the proxy must end. */
  onGarbage: (why: string) => void
  /** No message for `HEARTBEAT_TIMEOUT` milliseconds. */
  onSilence: () => void
  onEnd: () => void
}

/** Reads the launcher's messages until its end, whichever way that shows. */
export function listenToLauncher(input: Readable, events: LauncherEvents): void {
  const read = createLineReader(MAX_CONTROL_LINE)
  const heard = watchSilence(events.onSilence, HEARTBEAT_TIMEOUT)
  input.on('data', (chunk: Buffer) => {
    try {
      for (const line of read(chunk)) {
        heard()
        events.onMessage(parseMessage(line))
      }
    } catch (error) {
      events.onGarbage(error instanceof Error ? error.message : 'unreadable')
    }
  })
  for (const event of ['end', 'error', 'close']) input.on(event, events.onEnd)
}

/** Throws an Error that names key and expectation, and never a value. */
export function parseMessage(line: string): FromLauncher {
  const value = parseObject(line)
  if (value === undefined) throw new Error('a line is not a JSON object')
  const parsed = FromLauncher.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(explain(parsed.error.issues))
}
