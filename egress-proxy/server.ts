/** The one HTTP server of the border: which part answers which request. */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { answer, answerRaw } from './answer.ts'
import type { FlowFacts } from './audit.ts'
import type { Border } from './border.ts'
import type { InitStream } from './control/init-stream.ts'
import { type Exchange, type HttpTunnel, handleForward } from './forward.ts'
import { handleGateway } from './gateway.ts'
import { log } from './log.ts'
import { http } from './node-modules.ts'
import { type ParseError, reasonForParseError } from './parse-fault.ts'
import { type Reason } from './reasons.ts'
import { gatewayTarget, isGatewayAuthority, upgradeKind } from './routing.ts'
import { handleConnect } from './tunnel.ts'
import { handleWebSocket } from './websocket.ts'

/** What a connection inside a CONNECT tunnel leads to. */
type Inner = HttpTunnel | 'gateway'

type Serving = {
  border: Border
  init: InitStream
  /** The HTTP server for connections inside tunnels; it never listens. */
  inner: Server
  tunnels: WeakMap<Duplex, Inner>
  /** Requests not yet answered, by connection. */
  waiting: WeakMap<Duplex, Set<AbortController>>
}

/** Makes the server; the caller lets it listen. */
export function createBorderServer(border: Border, init: InitStream): Server {
  const options = optionsFrom(border)
  const inner = http.createServer({
    ...options,
    shouldUpgradeCallback: (req) => upgradeKind(req) === 'websocket',
  })
  const serving = { border, init, inner, tunnels: new WeakMap(), waiting: new WeakMap() }
  const outer = http.createServer({
    ...options,
    shouldUpgradeCallback: (req) => upgradeKind(req) !== undefined,
  })
  prepare(inner, serving)
  // It never listens, and Node begins to watch for slow headers when a server does.
  inner.emit('listening')
  prepare(outer, serving)
  outer.maxConnections = border.limits.connections
  // The first connection is init's, just before it starts the agent.
  outer.once('connection', () => border.pools.warm())
  return outer
}

function optionsFrom({ limits }: Border): ServerOptions {
  return {
    maxHeaderSize: limits.header_bytes,
    headersTimeout: limits.header_timeout,
    // A prompt may be uploaded, and answered, for as long as bytes keep coming.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, limits.header_timeout),
    keepAliveTimeout: 60_000,
    // Missing and doubled Host fields are refused with their own reason.
    requireHostHeader: false,
    insecureHTTPParser: false,
    noDelay: true,
  }
}

function prepare(server: Server, serving: Serving): void {
  // Node drops fields past this count silently; the limit here is checked instead.
  server.maxHeadersCount = 0
  // A client may close its sending side and still read the answer (not in Node's documentation).
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('request', (req, res) => onRequest(serving, req, res))
  server.on('checkContinue', (req, res) => onRequest(serving, req, res))
  server.on('checkExpectation', (req, res) => refuse(serving.border, req, res, 'bad_expectation'))
  server.on('connect', (req, _socket, head) => onConnect(serving, req, head))
  server.on('upgrade', (req, _socket, head) => onUpgrade(serving, req, head))
  server.on('clientError', (error: ParseError, socket) => onClientError(serving, error, socket))
}

function onRequest(serving: Serving, req: IncomingMessage, res: ServerResponse): void {
  const { border } = serving
  const abort = new AbortController()
  const waiting = serving.waiting.get(req.socket) ?? new Set()
  serving.waiting.set(req.socket, waiting.add(abort))
  border.active.requests += 1
  // Comes for every response, also for one that still waited in line when its connection closed.
  res.once('close', () => {
    waiting.delete(abort)
    border.active.requests -= 1
  })
  const shed = reasonToShed(border, req, waiting.size)
  if (shed !== undefined) {
    refuse(border, req, res, shed)
    return
  }
  const exchange = { req, res, signal: abort.signal }
  route(serving, exchange).catch((error: unknown) => {
    log('request failed', error instanceof Error ? error.name : 'unknown')
    res.destroy()
  })
}

function reasonToShed(border: Border, req: IncomingMessage, waiting: number): Reason | undefined {
  if (border.audit.isBlocked()) return 'backpressure'
  if (waiting > border.limits.pipelined) return 'pipeline_limit'
  if (border.active.requests > border.limits.requests) return 'too_many_connections'
  return req.rawHeaders.length > 2 * border.limits.headers ? 'header_too_large' : undefined
}

function refuse(border: Border, req: IncomingMessage, res: ServerResponse, reason: Reason): void {
  border.audit.open({ kind: 'http', method: req.method }).deny(reason)
  res.shouldKeepAlive = false
  answer(req, res, { reason, where: '' })
}

async function route(serving: Serving, exchange: Exchange): Promise<void> {
  const { border } = serving
  const { req } = exchange
  const inner = serving.tunnels.get(req.socket)
  const gateway = inner === 'gateway' ? (req.url ?? '') : gatewayTarget(req, border.routes)
  if (gateway !== undefined && (inner === undefined || inner === 'gateway')) {
    return handleGateway(border, exchange, gateway)
  }
  const tunnel = inner === 'gateway' ? undefined : inner
  return handleForward(border, { ...exchange, tunnel })
}

function onConnect(serving: Serving, req: IncomingMessage, head: Buffer): void {
  const { border } = serving
  const { socket } = req
  socket.on('error', () => undefined)
  const shed = tunnelShed(serving, socket)
  if (shed !== undefined) {
    border.audit.open({ kind: 'connect', method: 'CONNECT' }).deny(shed)
    answerRaw(socket, { reason: shed, where: '' })
    return
  }
  if (isGatewayAuthority(req.url ?? '')) {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    serveInner(serving, socket, 'gateway', head)
    return
  }
  border.active.tunnels += 1
  socket.once('close', () => {
    border.active.tunnels -= 1
  })
  void handleConnect(border, { req, socket, head }, (client, tunnel) => {
    serveInner(serving, client, tunnel, Buffer.alloc(0))
  })
}

function tunnelShed({ border, tunnels }: Serving, socket: Socket): Reason | undefined {
  if (tunnels.has(socket)) return 'connect_inside_tunnel'
  if (border.audit.isBlocked()) return 'backpressure'
  return border.active.tunnels >= border.limits.tunnels ? 'too_many_connections' : undefined
}

function serveInner(serving: Serving, socket: Socket, inner: Inner, head: Buffer): void {
  serving.tunnels.set(socket, inner)
  if (head.length > 0) socket.unshift(head)
  serving.inner.emit('connection', socket)
}

function onUpgrade(serving: Serving, req: IncomingMessage, head: Buffer): void {
  const { border, init, tunnels } = serving
  const { socket } = req
  socket.on('error', () => undefined)
  if (upgradeKind(req) === 'control') {
    init.accept(socket, head)
    return
  }
  const inner = tunnels.get(socket)
  const facts: FlowFacts = { kind: 'http', method: req.method }
  const full = border.active.tunnels >= border.limits.tunnels
  const blocked = border.audit.isBlocked()
  if (inner === 'gateway' || full || blocked) {
    const reason = blocked ? 'backpressure' : full ? 'too_many_connections' : 'bad_upgrade'
    border.audit.open(facts).deny(reason)
    answerRaw(socket, { reason, where: '' })
    return
  }
  border.active.tunnels += 1
  socket.once('close', () => {
    border.active.tunnels -= 1
  })
  void handleWebSocket(border, { req, socket, head, inside: inner?.target })
}

/** Malformed bytes or a timer: what is under way on the connection stops, and the client is told why. */
function onClientError(serving: Serving, error: ParseError, socket: Duplex): void {
  const reset = error.code === 'ECONNRESET' || error.code === 'EPIPE'
  for (const abort of serving.waiting.get(socket) ?? []) abort.abort()
  if (reset || socket.destroyed) {
    socket.destroy()
    return
  }
  const reason = reasonForParseError(error)
  serving.border.audit.open({ kind: 'http' }).deny(reason)
  if (hasBegunAnswer(socket)) socket.destroy()
  else answerRaw(socket, { reason, where: '', ...statusOfFault(reason) })
}

/** A method the parser does not know is a malformed request, not one that a rule refuses. */
function statusOfFault(reason: Reason): { status?: number } {
  return reason === 'method_not_allowed' ? { status: 400 } : {}
}

/** Whether a response on this connection has sent its header: nothing can be said then. */
function hasBegunAnswer(socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage')
  if (typeof current !== 'object' || current === null) return false
  return Reflect.get(current, 'headersSent') === true
}
