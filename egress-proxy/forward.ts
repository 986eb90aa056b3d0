/** Absolute-form requests, and the plain HTTP inside a CONNECT tunnel. */
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Dispatcher } from 'undici'

import { answer } from './answer.ts'
import type { FlowFacts } from './audit.ts'
import { type Authority, formatAuthority } from './authority.ts'
import type { Border } from './border.ts'
import { forwardHeaders } from './headers.ts'
import { type Judged, type RequestFacts, judgeRequest } from './judge.ts'
import type { EgressRule } from './policy.ts'
import type { Origin } from './pools.ts'
import type { Reason } from './reasons.ts'
import { relay } from './relay.ts'

/** A CONNECT tunnel that carries plain HTTP: its one target, and its own connection to it. */
export type HttpTunnel = { target: Authority; dispatcher: Dispatcher; rule: string }

export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  /** Aborts when the client's bytes turn out malformed. */
  signal: AbortSignal
  tunnel?: HttpTunnel | undefined
}

export function factsOf(req: IncomingMessage): RequestFacts {
  return {
    method: req.method ?? '',
    url: req.url ?? '',
    version: req.httpVersion,
    headers: req.rawHeaders,
  }
}

/** What the audit log shows of a judged request. */
export function flowFacts(kind: FlowFacts['kind'], method: string, judged: Judged): FlowFacts {
  return {
    kind,
    method,
    host: judged.authority?.host.text,
    port: judged.authority?.port,
    path: judged.path,
  }
}

/** Judges a forward request and passes it on. Resolves when its exchange is over. */
export async function handleForward(border: Border, exchange: Exchange): Promise<void> {
  const { req, res, tunnel } = exchange
  const facts = factsOf(req)
  const judged = judgeRequest(border.policy, facts, tunnel?.target)
  const flow = border.audit.open(flowFacts('http', facts.method, judged))
  const where = judged.authority === undefined ? '' : formatAuthority(judged.authority)
  if (!judged.ok) {
    flow.deny(judged.reason)
    const misdirected = tunnel !== undefined && namesProvider(border, judged.reason, req)
    answer(req, res, { reason: judged.reason, where, ...(misdirected ? { status: 421 } : {}) })
    return
  }
  if (req.headers.expect !== undefined) res.writeContinue()
  const { rule, authority, path, search } = judged
  const own = tunnel?.rule === rule.id ? tunnel.dispatcher : undefined
  await relay({
    ...exchange,
    flow,
    rule: rule.id,
    dispatcher: own ?? (await border.pools.get(originOf(authority, rule))),
    path: path + search,
    headers: forwardHeaders(req.rawHeaders, { fixedMethods: rule.methods !== undefined }),
    where,
    json: false,
    bodyTimeout: border.limits.body_timeout,
    maxBody: rule.max_request_bytes,
    endMeansGone: false,
  })
}

/** Whether a Host that does not fit its tunnel is that of a provider with a key at the border. */
function namesProvider({ policy }: Border, reason: Reason, req: IncomingMessage): boolean {
  const host = (req.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  return reason === 'host_mismatch' && policy.gatewayHosts.has(host)
}

export function originOf({ host, port }: Authority, rule: EgressRule): Origin {
  const allowPrivate = rule.allow_private ?? []
  return { owner: rule.id, host: host.text, port, tls: false, allowPrivate }
}
