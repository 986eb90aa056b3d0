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
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    state.last = performance.now()
  })
  for (const event of ['end', 'close', 'error']) {
    socket.on(event, () => {
      state.ended = true
    })
  }
  const late = performance.now() + most
  while (!state.ended && performance.now() < late && performance.now() - state.last < quiet)
    await sleep(5)
  return { text: Buffer.concat(chunks).toString('latin1'), ended: state.ended }
}

/** What is wrong with an outcome; empty when it is as expected. */
export function faultsOf(given: CorpusCase, seen: Observed, own: boolean): string[] {
  const faults = faultsInReach(seen)
  const status = given.expected_status ?? undefined
  const reason = given.expected_reason ?? undefined
  if (given.expected === 'close') faults.push(...faultsInClose(seen, own ? reason : undefined))
  else if (given.expected === 'allow' || given.expected === 'sanitize') {
    faults.push(...faultsInAllow(seen, status ?? 200))
  } else {
    const last = seen.statuses.at(-1)
    if (status !== undefined && last !== status) faults.push(`status ${last}, expected ${status}`)
    if (own && reason !== undefined && seen.reason !== reason) {
      faults.push(`reason ${seen.reason}, expected ${reason}`)
    }
    const allowed = seen.statuses.filter((code) => code < 300).length
    if (seen.heads.length > allowed) faults.push(`${seen.heads.length} requests reached the origin`)
  }
  return faults
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
  const isTunnel = text.startsWith('HTTP/1.1 200 Connection')
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
