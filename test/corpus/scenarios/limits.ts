import { setTimeout as sleep } from 'node:timers/promises'

import { clientHello } from '../../support/egress/client-hello.ts'
import { startProxy } from '../../support/egress/proxy-process.ts'
import { send } from '../../support/egress/raw-client.ts'
import { RULES } from '../lab.ts'
import { faultsOf, observe, readAll } from '../observe.ts'
import { type Scenario, ask, check, each, request, sanitized } from './tools.ts'

const PLAIN = 'plain.allowed.test'

export const slowBody: Scenario = each(
  request(PLAIN, '/x', 'Content-Length: 1000000\r\n', 'POST') + 'a',
)
export const bigBody: Scenario = each(
  request('small.allowed.test', '/x', 'Content-Length: 1073741824\r\n', 'POST'),
)

/** A header that comes byte by byte for ever. */
export const slowHeader: Scenario = async (lab, given) => {
  const seen = await observe(lab, async () => {
    const socket = lab.connect()
    send(socket, `GET http://${PLAIN}/x HTTP/1.1\r\n`)
    const drip = setInterval(() => socket.write('a'), 200)
    const read = await readAll(socket, { most: 5_000 })
    clearInterval(drip)
    socket.destroy()
    return read
  })
  return faultsOf(given, seen, true)
}

export const halfClose: Scenario = async (lab, given) => {
  const seen = await observe(lab, async () => {
    const socket = lab.connect()
    send(socket, request(PLAIN, '/slow'))
    socket.end()
    const read = await readAll(socket)
    socket.destroy()
    return read
  })
  return [
    ...faultsOf(given, seen, true),
    ...check(seen.text.includes('slow'), 'the answer was cut'),
  ]
}

export const pipelineFlood: Scenario = async (lab) => {
  const seen = await ask(lab, request(PLAIN).repeat(1_000), { quiet: 500 })
  return [
    ...check(seen.statuses.length < 100, `${seen.statuses.length} answers`),
    ...check(seen.text.includes('pipeline_limit'), 'no pipeline_limit'),
    ...check(seen.ended, 'the connection stayed open'),
  ]
}

/** Many requests on one connection, some time apart. */
export const longLived: Scenario = async (lab) => {
  const socket = lab.connect()
  const statuses: string[] = []
  for (let count = 0; count < 20; count += 1) {
    send(socket, request(PLAIN))
    const { text } = await readAll(socket, { quiet: 30 })
    statuses.push(text.slice(9, 12))
  }
  socket.destroy()
  return check(
    statuses.every((status) => status === '200'),
    statuses.join(),
  )
}

export const forwardedFields = sanitized(
  request(
    PLAIN,
    '/x',
    'X-Forwarded-For: 1\r\nX-Forwarded-Host: evil.test\r\nX-Forwarded-Proto: https\r\nForwarded: for=1\r\nVia: 1.1 me\r\nX-Real-IP: 1\r\n',
  ),
  /forwarded|via|real-ip|evil/i,
)
export const otherProxies = sanitized(
  request(
    PLAIN,
    '/x',
    'X-Upstream-Https-Proxy: http://evil.test:3128\r\nX-Unix-Socket: /run/x\r\n',
  ),
  /upstream-https|evil|unix-socket/i,
)
export const underscores = sanitized(
  request(PLAIN, '/x', 'Content_Length: 0\r\nTransfer_Encoding: chunked\r\n'),
  /transfer-encoding/i,
)
export const override = sanitized(
  request(PLAIN, '/x', 'X-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n', 'POST'),
  /^DELETE/,
  /^POST/,
)

/** Odd text in fields, paths and hosts stays text in the log. */
export const logInjection: Scenario = async (lab) => {
  const before = lab.proxy?.messages.length ?? 0
  await ask(lab, request(PLAIN, '/x%0d%0a%1b', 'User-Agent: x","decision":"ALLOW"\\u2028\r\n'))
  await ask(lab, 'CONNECT evil",verdict:allow.test:443 HTTP/1.1\r\n\r\n')
  await ask(lab, `GET http://${PLAIN}/a","verdict":"allow HTTP/1.1\r\nHost: ${PLAIN}\r\n\r\n`)
  // Every line was parsed by the strict schema on its way here.
  const added = lab.proxy?.messages.slice(before) ?? []
  const lines = added.map((message) => JSON.stringify(message))
  return [
    ...check(added.length >= 3, `${added.length} lines`),
    ...check(!lines.some((line) => /[\p{Cc}\u2028]/u.test(line)), 'a control character'),
  ]
}

export const logSecrets: Scenario = async (lab) => {
  const fields = 'Authorization: hush1\r\nProxy-Authorization: hush2\r\nCookie: hush3\r\n'
  await ask(lab, request(PLAIN, '/x?token=hush4', fields))
  await ask(lab, `GET http://hush5:hush6@${PLAIN}/x HTTP/1.1\r\nHost: ${PLAIN}\r\n\r\n`)
  await ask(lab, 'CONNECT hush7:hush8@api.allowed.test:443 HTTP/1.1\r\n\r\n')
  const written = JSON.stringify(lab.proxy?.messages) + (lab.proxy?.stderr() ?? '')
  const found = /hush\d/.exec(written)
  return check(found === null, `the log holds ${found?.[0]}`)
}

/** A log that nobody takes: what is new is refused, and it goes on when the log is taken again. */
export const blockedLog: Scenario = async (lab) => {
  await using proxy = await startProxy({ rules: RULES, dns_servers: [lab.dns.server] })
  proxy.child.stdout?.pause()
  const path = `/${'a'.repeat(500)}`
  let refused = ''
  for (let round = 0; round < 600 && !refused.includes('backpressure'); round += 1) {
    const socket = proxy.connect()
    send(socket, request('evil.test', path).repeat(30))
    const { text } = await readAll(socket, { quiet: 30 })
    socket.destroy()
    refused = text
  }
  proxy.child.stdout?.resume()
  await sleep(500)
  const socket = proxy.connect()
  send(socket, request('evil.test'))
  const after = await readAll(socket)
  socket.destroy()
  return [
    ...check(/503 [^\r]*\r\nX-Egress-Reason: backpressure/.test(refused), 'never refused for it'),
    ...check(after.text.includes('host_not_allowed'), 'it did not recover'),
  ]
}

/** More at once than the session may have: what is over the limit is refused, the rest goes on. */
function crowd(limits: object, bytes: string, wanted: RegExp): Scenario {
  return async (lab) => {
    await using proxy = await startProxy({ rules: RULES, dns_servers: [lab.dns.server], limits })
    const sockets = Array.from({ length: 4 }, () => proxy.connect())
    const texts: string[] = []
    for (const socket of sockets) {
      send(socket, bytes)
      texts.push((await readAll(socket, { most: 150 })).text)
    }
    for (const socket of sockets) socket.destroy()
    const refused = texts.filter((text) => wanted.test(text)).length
    return check(refused === 2, `${refused} of 4 were refused, with a limit of 2`)
  }
}

const FULL = /HTTP\/1\.1 503 [^\r]*\r\nX-Egress-Reason: too_many_connections/
const CONNECT = 'CONNECT api.allowed.test:443 HTTP/1.1\r\n\r\n'

export const manyTunnels = crowd({ tunnels: 2 }, CONNECT, FULL)
export const manyRequests = crowd({ requests: 2 }, request(PLAIN, '/never'), FULL)

export const tunnelBytes: Scenario = async (lab) => {
  const rules = RULES.map((rule) => ({ ...rule, max_tunnel_bytes: 2_000 }))
  await using proxy = await startProxy({ rules, dns_servers: [lab.dns.server] })
  const socket = proxy.connect()
  send(socket, CONNECT)
  await readAll(socket, { quiet: 20 })
  socket.write(clientHello({ names: ['api.allowed.test'], padding: 4_000 }))
  const read = await readAll(socket)
  socket.destroy()
  const close = await proxy.waitFor('close')
  return [
    ...check(read.ended, 'the tunnel stayed open'),
    ...check(close.reason === 'byte_limit', `close says ${close.reason}`),
  ]
}

const CHUNK = `7d0\r\n${'a'.repeat(2_000)}\r\n`

export const bigChunks: Scenario = each(
  request('small.allowed.test', '/x', 'Transfer-Encoding: chunked\r\n', 'POST') + CHUNK,
)

/** Every line names its turn. */
export const turns: Scenario = async (lab) => {
  await using proxy = await startProxy({ rules: RULES, dns_servers: [lab.dns.server] })
  proxy.send({ type: 'turn', turn: 'turn-7' })
  await sleep(50)
  for (const bytes of [request(PLAIN, '/x?hush=1', 'X-Hush: hush\r\n'), request('evil.test')]) {
    const socket = proxy.connect()
    send(socket, bytes)
    await readAll(socket)
    socket.destroy()
  }
  await proxy.waitFor('close')
  const lines = [...proxy.decisions(), ...proxy.closes()]
  return [
    ...check(lines.length === 3, `${lines.length} lines`),
    ...check(
      lines.every(({ turn }) => turn === 'turn-7'),
      'a line without its turn',
    ),
    ...check(!JSON.stringify(lines).includes('hush'), 'a query or a field in the log'),
  ]
}
