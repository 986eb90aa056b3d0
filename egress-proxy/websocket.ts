/** WebSocket over plain HTTP: raw bytes only after a correct 101 (RFC 6455). */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import { answerRaw } from './answer.ts'
import type { Flow } from './audit.ts'
import { type Authority, formatAuthority, formatHost } from './authority.ts'
import type { Border } from './border.ts'
import { factsOf, flowFacts, originOf } from './forward.ts'
import { forwardHeaders, isResponseAmbiguous, responseHeaders, valuesOf } from './headers.ts'
import { faultInUpgrade, judgeRequest } from './judge.ts'
import { crypto, http } from './node-modules.ts'
import { type Reason, Refusal } from './reasons.ts'
import { type TunnelBounds, boundsOf, splice } from './splice.ts'
import { isVerdict, refusalOf } from './upstream-fault.ts'

/** RFC 6455, 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

const SWITCH = ['Connection', 'Upgrade', 'Upgrade', 'websocket']

export type Upgrade = {
  req: IncomingMessage
  socket: Socket
  head: Buffer
  /** The tunnel the request came in, when it came in one. */
  inside?: Authority | undefined
}

/** Judges one WebSocket handshake and carries the connection. Resolves when it is over. */
export async function handleWebSocket(border: Border, upgrade: Upgrade): Promise<void> {
  const { req, socket, head } = upgrade
  const facts = factsOf(req)
  const judged = judgeRequest(border.policy, facts, upgrade.inside)
  const flow = border.audit.open(flowFacts('http', facts.method, judged))
  const where = judged.authority === undefined ? '' : formatAuthority(judged.authority)
  const refuse = (reason: Reason, status?: number) => {
    flow.deny(reason)
    const headers = { 'Sec-WebSocket-Version': '13' }
    const asked = status === undefined ? {} : { status }
    answerRaw(socket, { reason, where, ...asked, ...(status === 426 ? { headers } : {}) })
  }
  if (!judged.ok) return refuse(judged.reason)
  const fault = faultInUpgrade(facts)
  if (fault !== undefined) return refuse('bad_upgrade', fault)
  const { authority, rule, path, search } = judged
  socket.on('error', () => undefined)
  const gone = new AbortController()
  const early = holdEarly(socket, () => gone.abort())
  try {
    const upstream = await border.dial(originOf(authority, rule), gone.signal)
    flow.allow(rule.id)
    // A server that takes its time over the handshake holds nothing once nobody waits for it.
    gone.signal.addEventListener('abort', () => upstream.destroy())
    const handshake = { authority, target: path + search, timeout: border.limits.response_timeout }
    const answered = await shake(upstream, req, handshake)
    const bounds = boundsOf(border, rule)
    await carry({ flow, socket, head: Buffer.concat([head, early()]), bounds }, answered)
  } catch (error) {
    const { reason, status } = refusalOf(error)
    if (isVerdict(reason)) flow.deny(reason)
    else flow.allow(rule.id)
    flow.close({ reason, status })
    answerRaw(socket, { reason, status, where })
  }
}

/** Bytes a client may send before it was answered. */
const MAX_EARLY = 64 * 1024

/**
 * Reads on while the handshake is under way, since only a reader learns that its peer left. The
 * function returned stops that, and gives what came.
 */
function holdEarly(socket: Socket, onGone: () => void): () => Buffer {
  const chunks: Buffer[] = []
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    if (chunks.reduce((sum, { length }) => sum + length, 0) > MAX_EARLY) socket.pause()
  }
  socket.on('data', onData).once('end', onGone).once('close', onGone)
  return () => {
    socket.pause()
    socket.off('data', onData).off('end', onGone).off('close', onGone)
    return Buffer.concat(chunks)
  }
}

type Answered = { response: IncomingMessage; upstream: Socket; switched: boolean; first: Buffer }

type Handshake = { authority: Authority; target: string; timeout: number }

/** Sends the handshake on a connected socket. Throws a Refusal when the answer is not HTTP. */
function shake(upstream: Socket, req: IncomingMessage, to: Handshake): Promise<Answered> {
  const { host, port } = to.authority
  const key = valuesOf(req.rawHeaders, 'sec-websocket-key')[0] ?? ''
  const headers = [
    'Host',
    port === 80 ? formatHost(host.text) : formatAuthority(to.authority),
    ...SWITCH,
    ...forwardHeaders(req.rawHeaders, { fixedMethods: false }),
  ]
  return new Promise((resolve, reject) => {
    const fail = (reason: Reason) => {
      upstream.destroy()
      reject(new Refusal(reason, { status: reason === 'upstream_timeout' ? 504 : 502 }))
    }
    const asked = http.request({
      createConnection: () => upstream,
      setHost: false,
      method: 'GET',
      path: to.target,
      headers,
      timeout: to.timeout,
    })
    asked.once('upgrade', (response, socket, first) => {
      const accepted = valuesOf(response.rawHeaders, 'sec-websocket-accept')
      const right = crypto()
        .createHash('sha1')
        .update(key + GUID)
        .digest('base64')
      const isRight = response.statusCode === 101 && accepted.length === 1 && accepted[0] === right
      if (!isRight || response.headers.upgrade?.toLowerCase() !== 'websocket') {
        fail('bad_upgrade')
        return
      }
      resolve({ response, upstream: socket, switched: true, first })
    })
    asked.once('response', (response) =>
      resolve({ response, upstream, switched: false, first: Buffer.alloc(0) }),
    )
    asked.once('timeout', () => fail('upstream_timeout'))
    asked.on('error', () => fail('upstream_protocol_error'))
    asked.end()
  })
}

type Client = { flow: Flow; socket: Socket; head: Buffer; bounds: TunnelBounds }

async function carry(client: Client, answered: Answered): Promise<void> {
  const { flow, socket, head, bounds } = client
  const { response, upstream, switched, first } = answered
  if (socket.destroyed) {
    upstream.destroy()
    flow.close({ reason: 'client_abort' })
    return
  }
  if (!switched && isResponseAmbiguous(response.rawHeaders)) {
    upstream.destroy()
    throw new Refusal('upstream_protocol_error')
  }
  socket.write(headOf(response, switched))
  if (switched) {
    upstream.setTimeout(0)
    if (first.length > 0) socket.write(first)
    if (head.length > 0) upstream.write(head)
    flow.close({ ...(await splice(socket, upstream, bounds)), status: 101 })
    return
  }
  // The client's further bytes were meant for a WebSocket that is not there: never passed on.
  socket.resume()
  await new Promise<void>((resolve) => {
    socket.once('close', resolve)
    response.once('error', () => socket.destroy())
    response.pipe(socket)
  })
  upstream.destroy()
  flow.close({ reason: 'closed', status: response.statusCode, down: upstream.bytesRead })
}

function headOf(response: IncomingMessage, switched: boolean): string {
  const own = switched ? SWITCH : ['Connection', 'close']
  const flat = [...own, ...responseHeaders(response.rawHeaders)]
  let text = `HTTP/1.1 ${response.statusCode ?? 502} ${response.statusMessage ?? ''}\r\n`
  for (let at = 0; at + 1 < flat.length; at += 2) text += `${flat[at]}: ${flat[at + 1]}\r\n`
  return `${text}\r\n`
}
