/** CONNECT: judged, dialled, then the client's first bytes are looked at before any is passed on. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import { answerRaw } from './answer.ts'
import type { Flow } from './audit.ts'
import { type Authority, formatAuthority, parseAuthority } from './authority.ts'
import type { Border } from './border.ts'
import { decide } from './decide.ts'
import { type HttpTunnel, originOf } from './forward.ts'
import { valuesOf } from './headers.ts'
import { peekHello } from './peek.ts'
import type { EgressRule } from './policy.ts'
import { type Reason, Refusal } from './reasons.ts'
import { faultInHello } from './sni.ts'
import { boundsOf, splice } from './splice.ts'
import { isVerdict, refusalOf } from './upstream-fault.ts'

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n'

export type Connect = {
  req: IncomingMessage
  socket: Socket
  /** Bytes that came with the request. */
  head: Buffer
}

/** Where a tunnel that carries plain HTTP is read on. */
export type ServeHttp = (socket: Socket, tunnel: HttpTunnel) => void

/** Judges one CONNECT and carries its tunnel. Resolves when the tunnel is over; never rejects. */
export async function handleConnect(
  border: Border,
  connect: Connect,
  serveHttp: ServeHttp,
): Promise<void> {
  const { req, socket } = connect
  const url = req.url ?? ''
  const parsed = parseAuthority(url)
  const authority = parsed.ok ? parsed.value : undefined
  const flow = border.audit.open({
    kind: 'connect',
    method: 'CONNECT',
    host: authority?.host.text ?? withoutSecrets(url),
    port: authority?.port,
  })
  const refuse = (reason: Reason) => {
    flow.deny(reason)
    answerRaw(socket, { reason, where: authority === undefined ? '' : formatAuthority(authority) })
  }
  if (!/^1\.[01]$/.test(req.httpVersion)) return refuse('unsupported_protocol')
  if (carriesBody(req)) return refuse('connect_with_body')
  if (!parsed.ok) return refuse(parsed.reason)
  if (valuesOf(req.rawHeaders, 'host').length > 1) return refuse('duplicate_host')
  const verdict = decide(border.policy, { kind: 'connect', authority: parsed.value })
  if (verdict.verdict === 'deny') return refuse(verdict.reason)
  await dialAndCarry(border, connect, {
    flow,
    authority: parsed.value,
    rule: verdict.rule,
    serveHttp,
  })
}

/** A malformed target for the log, without what may be a user name and a password. */
function withoutSecrets(url: string): string {
  return url.replace(/^.*@/s, '').replace(/[/?#].*$/s, '')
}

function carriesBody(req: IncomingMessage): boolean {
  return (
    valuesOf(req.rawHeaders, 'content-length').length > 0 ||
    valuesOf(req.rawHeaders, 'transfer-encoding').length > 0
  )
}

type Opening = { flow: Flow; authority: Authority; rule: EgressRule; serveHttp: ServeHttp }

async function dialAndCarry(border: Border, connect: Connect, opening: Opening): Promise<void> {
  const { socket } = connect
  const { flow, authority, rule } = opening
  const gone = new AbortController()
  const onGone = () => gone.abort()
  socket.once('close', onGone)
  let upstream: Socket
  try {
    upstream = await border.dial(originOf(authority, rule), gone.signal)
  } catch (error) {
    const { reason, status } = refusalOf(error)
    if (isVerdict(reason)) flow.deny(reason)
    else flow.allow(rule.id)
    flow.close({ reason, status })
    answerRaw(socket, { reason, status, where: formatAuthority(authority) })
    return
  } finally {
    socket.off('close', onGone)
  }
  await carry(border, { ...connect, ...opening, upstream })
}

type Carried = Connect & Opening & { upstream: Socket }

/** From here on the client was answered 200: what goes wrong now can only close. */
async function carry(border: Border, carried: Carried): Promise<void> {
  const { socket, upstream, rule, flow } = carried
  socket.on('error', () => undefined)
  socket.write(ESTABLISHED)
  if (rule.protocol === 'http') return carryHttp(border, carried)
  let first = carried.head
  if (rule.protocol === 'tls') {
    try {
      first = await greeting(border, carried)
    } catch (error) {
      flow.deny(error instanceof Refusal ? error.reason : 'not_tls')
      upstream.destroy()
      socket.destroy()
      return
    }
  }
  flow.allow(rule.id)
  if (first.length > 0) upstream.write(first)
  flow.close(await splice(socket, upstream, boundsOf(border, rule)))
}

async function greeting(border: Border, carried: Carried): Promise<Buffer> {
  const { peek_bytes: bytes, peek_timeout: timeout } = border.limits
  const { hello, bytes: read } = await peekHello(carried.socket, carried.head, { bytes, timeout })
  const fault = faultInHello(hello, carried.authority.host.text, carried.rule)
  if (fault !== undefined) throw new Refusal(fault)
  return read
}

async function carryHttp(border: Border, carried: Carried): Promise<void> {
  const { socket, upstream, rule, authority, flow, head } = carried
  flow.allow(rule.id)
  const dispatcher = await border.pools.over(originOf(authority, rule), upstream)
  if (socket.destroyed) {
    upstream.destroy()
    flow.close({ reason: 'client_abort' })
    return
  }
  if (head.length > 0) socket.unshift(head)
  const closed = new Promise<void>((resolve) => socket.once('close', resolve))
  carried.serveHttp(socket, { target: authority, dispatcher, rule: rule.id })
  await closed
  const bytes = { up: upstream.bytesWritten, down: upstream.bytesRead }
  await dispatcher.destroy()
  // Not the dispatcher's when no request ever came.
  upstream.destroy()
  flow.close({ reason: 'closed', status: 200, ...bytes })
}
