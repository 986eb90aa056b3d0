/** Answers the agent's permission questions: by rule, or by asking at the terminal. */
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk'

import { visibleLine } from './visible.ts'

export type PermissionPolicy = 'ask' | 'allow' | 'deny'

/** Never rejects; an aborted question is `cancelled`. */
export type Answerer = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => Promise<RequestPermissionOutcome>

/** The narrowest option of the policy's side; `cancelled`, which denies, when there is none. */
export function answerByPolicy(
  options: PermissionOption[],
  policy: 'allow' | 'deny',
): RequestPermissionOutcome {
  const kinds =
    policy === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  for (const kind of kinds) {
    const found = options.find((option) => option.kind === kind)
    if (found !== undefined) return { outcome: 'selected', optionId: found.optionId }
  }
  return { outcome: 'cancelled' }
}

/** The words of an answer, such as `Allow once`. */
export function answerName(
  options: PermissionOption[],
  outcome: RequestPermissionOutcome,
): { name: string; kind: string } {
  if (outcome.outcome === 'cancelled') return { name: 'cancelled', kind: 'cancelled' }
  const found = options.find(({ optionId }) => optionId === outcome.optionId)
  return { name: found?.name ?? outcome.optionId, kind: found?.kind ?? 'unknown' }
}

/** Asks one question after the other, also when the agent asks several at once. */
export function askAtTerminal(input: Readable, output: Writable): Answerer {
  let last: Promise<unknown> = Promise.resolve()
  return (request, signal) => {
    const answer = last.then(() => askOnce(request.options, input, output, signal))
    last = answer
    return answer
  }
}

async function askOnce(
  options: PermissionOption[],
  input: Readable,
  output: Writable,
  signal: AbortSignal,
): Promise<RequestPermissionOutcome> {
  if (signal.aborted) return { outcome: 'cancelled' }
  const lines = createInterface({ input, output })
  const closed = new AbortController()
  lines.once('close', () => closed.abort())
  // Ctrl-C reaches readline in raw mode; give it back to the process as the signal it is.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const until = AbortSignal.any([signal, closed.signal])
  const menu = options.map(({ name }, index) => `  ${index + 1}  ${visibleLine(name)}`).join('\n')
  try {
    output.write(`${menu}\n`)
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- asks again until the answer is an option
      const typed = await lines.question(`Your choice, 1 to ${options.length}: `, { signal: until })
      const chosen = /^\d+$/.test(typed.trim()) ? options[Number(typed.trim()) - 1] : undefined
      if (chosen !== undefined) return { outcome: 'selected', optionId: chosen.optionId }
    }
  } catch {
    output.write('\n')
    return { outcome: 'cancelled' }
  } finally {
    lines.close()
  }
}
