import type { Socket } from 'node:net'
/** What one attempt did, on both sides of the proxy, and whether that is what was expected. */
import { setTimeout as sleep } from 'node:timers/promises'

import type { Decision } from '../../egress-proxy/messages.ts'
import type { CorpusCase } from './corpus-file.ts'
import type { Lab } from './lab.ts'

export type Observed = {
  /** Everything the client read, as latin1. */
  text: string
  /** Whether the proxy ended the connection. */
  ended: boolean
  statuses: number[]
  /** X-Egress-Reason of the last response that has one. */
  reason: string | undefined
  /** Request heads that reached the allowed origin. */
  heads: string[]
  decisions: Decision[]
  queries: string[]
  trespasses: string[]
}

/** Runs one attempt and collects what it caused. */
export async function observe(lab: Lab, attempt: () => Promise<ReadText>): Promise<Observed> {
  const { origin, dns, proxy } = lab
  const [heads, queries, decisions] = [
    origin.heads.length,
    dns.queries.length,
    proxy?.decisions().length ?? 0,
  ]
  lab.takeTrespasses()
  const { text, ended } = await attempt()
  // The audit line and a misled dial may come a moment after the answer.
  await sleep(30)
  return {
    text,
    ended,
    statuses: [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map((match) => Number(match[1])),
    reason: [...text.matchAll(/^x-egress-reason: *(\S+)/gim)].at(-1)?.[1],
    heads: origin.heads.slice(heads),
    decisions: proxy?.decisions().slice(decisions) ?? [],
    queries: dns.queries.slice(queries),
    trespasses: lab.takeTrespasses(),
  }
}

export type ReadText = { text: string; ended: boolean }

export type Patience = {
  /** Milliseconds in all. */
  most?: number
  /** Milliseconds without a further byte after the first. */
  quiet?: number
}

/** Reads until the peer ends, is quiet, or the time is over. */
export async function readAll(
  socket: Socket,
  { most = 3_000, quiet = 120 }: Patience = {},
): Promise<ReadText> {
  const chunks: Buffer[] = []
  const state = { ended: socket.readableEnded || socket.destroyed, last: Infinity }
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    state.last = performance.now()
  }
  const onEnd = () => {
    state.ended = true
  }
  const endings = ['end', 'close', 'error']
  socket.on('data', onData)
  for (const event of endings) socket.on(event, onEnd)
  const late = performance.now() + most
  while (!state.ended && performance.now() < late && performance.now() - state.last < quiet) {
    await sleep(5)
  }
  socket.off('data', onData)
  for (const event of endings) socket.off(event, onEnd)
  return { text: Buffer.concat(chunks).toString('latin1'), ended: state.ended }
}

/** What is wrong with an outcome; empty when it is as expected. */
export function faultsOf(given: CorpusCase, seen: Observed, own: boolean): string[] {
  const status = given.expected_status ?? undefined
  // Another proxy has codes of its own.
  const reason = own ? (given.expected_reason ?? undefined) : undefined
  const reach = faultsInReach(seen)
  if (given.expected === 'close') return [...reach, ...faultsInClose(seen, reason)]
  if (given.expected === 'allow' || given.expected === 'sanitize') {
    return [...reach, ...faultsInAllow(seen, status ?? 200)]
  }
  const faults = faultsInRefusal(seen, status, reason)
  // A request that is stopped on its way, or answered badly, may well have arrived.
  const untouched = given.expected === 'deny' || given.expected === 'reject'
  return [...reach, ...faults, ...(untouched ? arrivals(seen) : [])]
}

function faultsInRefusal(
  seen: Observed,
  status: number | undefined,
  reason: string | undefined,
): string[] {
  const faults: string[] = []
  const last = seen.statuses.at(-1)
  if (status !== undefined && last !== status) faults.push(`status ${last}, expected ${status}`)
  if (reason !== undefined && seen.reason !== reason) {
    faults.push(`reason ${seen.reason}, expected ${reason}`)
  }
  return faults
}

/** Requests at the origin beyond those that were answered as allowed. */
function arrivals({ heads, statuses }: Observed): string[] {
  const allowed = statuses.filter((code) => code < 300).length
  return heads.length > allowed ? [`${heads.length} requests reached the origin`] : []
}

/** Whatever is expected, these never happen. */
export function faultsInReach({ trespasses, queries }: Observed): string[] {
  const leaked = queries.filter((name) => !/(?:^|\.)(?:allowed|wild)\.test$/.test(name))
  return [
    ...trespasses.map((place) => `a connection reached ${place}`),
    ...leaked.map((name) => `DNS was asked for ${name}`),
  ]
}

function faultsInAllow({ statuses, heads, text }: Observed, status: number): string[] {
  if (!statuses.includes(status)) return [`status ${statuses.join()}, expected ${status}`]
  const isTunnel = !/^(?:content-length|transfer-encoding):/im.test(
    text.split('\r\n\r\n', 1)[0] ?? '',
  )
  // After 100 Continue the client would send its body; this one has none.
  return heads.length === 0 && !isTunnel && status !== 100
    ? ['the request did not reach the origin']
    : []
}

function faultsInClose(
  { text, ended, decisions, statuses }: Observed,
  reason: string | undefined,
): string[] {
  const after = text.split('\r\n\r\n').slice(1).join('\r\n\r\n')
  const faults: string[] = []
  if (statuses[0] !== 200) faults.push(`status ${statuses[0]}, expected 200 and then the end`)
  if (!ended) faults.push('the connection stayed open')
  if (after !== '') faults.push('bytes were relayed before the end')
  const told = decisions.at(-1)?.reason
  if (reason !== undefined && told !== reason) faults.push(`audit says ${told}, expected ${reason}`)
  return faults
}
