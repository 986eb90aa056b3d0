/** What an agent may ask of the editor. Pure; every verdict has a sentence. */
import { isRecord, paramsRecord, sessionIdOf, spellingOf, type Frame } from './frame.ts'

export type Verdict =
  | { verdict: 'forward' }
  /** A request is answered with this sentence; the editor never sees it. */
  | { verdict: 'refuse'; reason: string }
  /** A notification goes nowhere. */
  | { verdict: 'drop'; reason: string }

/** Method families with which an agent makes the *editor* act on the host. */
const HOST_REACHING: readonly (readonly [prefix: string, what: string])[] = [
  ['fs/', 'files through the editor'],
  ['terminal/', 'commands in the editor'],
  ['mcp/', 'MCP servers of the editor'],
]

/**
 * Judges a request or notification of a container. `owns` tells whether a session id is the
 * container's own.
 * 1. A session that is not its own: dropped or refused.
 * 2. A method that reaches the host through the editor: refused.
 * 3. A question that is no form, and so opens a URL on the host: refused.
 * 4. Everything else passes, unknown methods and extensions included.
 */
export function judgeAgentFrame(frame: Frame, owns: (sessionId: string) => boolean): Verdict {
  if (frame.kind === 'response') return { verdict: 'forward' }
  const sessionId = sessionIdOf(frame)
  if (sessionId !== undefined && !owns(sessionId)) {
    return no(frame, `${frame.method} named a session that is not this container's`)
  }
  const family = HOST_REACHING.find(([prefix]) => frame.method.startsWith(prefix))
  if (family !== undefined) {
    return no(
      frame,
      `${frame.method}: Glovebox does not let an agent use ${family[1]}; use the container's own`,
    )
  }
  if (frame.method === 'elicitation/create' && !asksForm(frame)) {
    return no(frame, 'elicitation/create: Glovebox does not let an agent open a URL on the host')
  }
  return { verdict: 'forward' }
}

/** A form is the default; a mode that two readers could read differently is none. */
function asksForm(frame: Frame): boolean {
  // A form has no address, whatever its mode says: an editor could go by the address.
  if (spellingOf(frame, 'url') !== 'absent') return false
  const spelling = spellingOf(frame, 'mode')
  return spelling === 'absent' || (spelling === 'plain' && paramsRecord(frame)['mode'] === 'form')
}

/**
 * The editor's `initialize` parameters as an agent may see them: nothing with which it could reach
 * the host. Unknown capabilities and `_meta` stay, but for terminal log-in, which names programs
 * of the host.
 */
export function maskInitialize(params: Record<string, unknown>): Record<string, unknown> {
  const given = isRecord(params['clientCapabilities']) ? params['clientCapabilities'] : {}
  const { auth: _auth, _meta: meta, elicitation, ...others } = given
  const kept = isRecord(meta) ? withoutKey(meta, 'terminal-auth') : undefined
  const asking = isRecord(elicitation) ? withoutKey(elicitation, 'url') : undefined
  return {
    ...params,
    protocolVersion: 1,
    clientCapabilities: {
      ...others,
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...(kept === undefined ? {} : { _meta: kept }),
      ...(asking === undefined ? {} : { elicitation: asking }),
    },
  }
}

function no(frame: Frame, reason: string): Verdict {
  return frame.kind === 'request' ? { verdict: 'refuse', reason } : { verdict: 'drop', reason }
}

function withoutKey(record: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}
