/** One decision and, when something was let through, one close per flow. */
import type { Close, Decision } from './messages.ts'
import type { Reason } from './reasons.ts'

export type FlowFacts = {
  kind: Decision['kind']
  method?: string | undefined
  host?: string | undefined
  port?: number | undefined
  /** Without query. */
  path?: string | undefined
  count?: number | undefined
}

export type Ending = {
  reason: Reason | 'closed'
  status?: number | undefined
  /** Bytes from the agent, and to the agent. */
  up?: number
  down?: number
  usage?: Close['usage']
}

/** One request or tunnel on its way through the border. Only the first verdict and end count. */
export type Flow = {
  allow: (rule: string | undefined) => void
  deny: (reason: Reason) => void
  close: (ending: Ending) => void
}

export type Audit = {
  open: (facts: FlowFacts) => Flow
  /** True while the log is not being taken: nothing new may be let through then. */
  isBlocked: () => boolean
}

export type AuditSink = {
  send: (record: Decision | Close) => void
  isBlocked: () => boolean
  turn: () => string
}

const MAX_FIELD = 512

/**
 * While the log is not being taken, everything new is refused, and of a run of such refusals only
 * the first is recorded: memory stays bounded, and no flow that was let through goes unrecorded.
 */
export function createAudit(sink: AuditSink): Audit {
  let count = 0
  let told = false
  return {
    isBlocked: sink.isBlocked,
    open(facts) {
      count += 1
      const blocked = sink.isBlocked()
      const muted = blocked && told
      told = blocked
      return openFlow(muted ? { ...sink, send: () => undefined } : sink, `e${count}`, facts)
    },
  }
}

function openFlow(sink: AuditSink, id: string, facts: FlowFacts): Flow {
  const started = performance.now()
  let verdict: Decision['verdict'] | undefined
  let closed = false
  const decide = (made: Decision['verdict'], reason: string, rule?: string) => {
    if (verdict !== undefined) return
    verdict = made
    const named = rule === undefined ? {} : { rule: cut(rule) }
    sink.send({
      type: 'decision',
      id,
      kind: facts.kind,
      turn: sink.turn(),
      verdict,
      reason,
      ...named,
      ...shown(facts),
    })
  }
  return {
    allow: (rule) => decide('allow', 'allowed', rule),
    deny: (reason) => decide('deny', reason),
    close({ reason, status, up = 0, down = 0, usage }) {
      if (verdict !== 'allow' || closed) return
      closed = true
      const duration = Math.round(performance.now() - started)
      const optional = {
        ...(status === undefined ? {} : { status }),
        ...(usage === undefined ? {} : { usage }),
      }
      const bytes = { bytes_up: up, bytes_down: down, duration_ms: duration }
      sink.send({ type: 'close', id, turn: sink.turn(), reason, ...bytes, ...optional })
    },
  }
}

function shown({ method, host, port, path, count }: FlowFacts): Partial<Decision> {
  return {
    ...(method === undefined ? {} : { method: cut(method) }),
    ...(host === undefined ? {} : { host: cut(host) }),
    ...(port === undefined ? {} : { port }),
    ...(path === undefined ? {} : { path: cut(path) }),
    ...(count === undefined ? {} : { count }),
  }
}

/** Bounded, and without control characters that a terminal would obey. */
function cut(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�')
  return plain.length <= MAX_FIELD ? plain : `${plain.slice(0, MAX_FIELD)}…`
}
