import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

import { send } from '../../support/egress/raw-client.ts'
import type { Lab } from '../lab.ts'
import { faultsOf, observe, readAll } from '../observe.ts'
import { type Scenario, ask, check } from './tools.ts'

async function openTunnel(lab: Lab, target: string) {
  const socket = lab.connect()
  send(socket, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  await readAll(socket, { quiet: 20 })
  return socket
}

/** What is sent inside a tunnel to plain.allowed.test:80, whose answer must be as the case expects. */
function inside(bytes: string): Scenario {
  return async (lab, given) => {
    const seen = await observe(lab, async () => {
      const socket = await openTunnel(lab, 'plain.allowed.test:80')
      socket.write(bytes)
      const read = await readAll(socket)
      socket.destroy()
      return read
    })
    return faultsOf(given, seen, true)
  }
}

export const nestedConnect = inside('CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n')
/** `CONNECT host:80, then inside: …` with the bytes as they are sent inside. */
export const insideAsWritten: Scenario = (lab, given) =>
  inside(/inside: (.*)$/s.exec(given.request)?.[1] ?? '')(lab, given)

/** A header that comes byte by byte for ever, inside a tunnel. */
export const slowInside: Scenario = async (lab, given) => {
  const seen = await observe(lab, async () => {
    const socket = await openTunnel(lab, 'plain.allowed.test:80')
    socket.write('GET /x HTTP/1.1\r\n')
    const drip = setInterval(() => socket.write('a'), 200)
    const read = await readAll(socket, { most: 5_000 })
    clearInterval(drip)
    socket.destroy()
    return read
  })
  return faultsOf(given, seen, true)
}

export const innerHost = inside('GET /x HTTP/1.1\r\nHost: evil.test\r\n\r\n')

/** The host with a bound key, named inside a connection that leads elsewhere. */
export const innerModelHost: Scenario = async (lab, given) => {
  const forged = 'GET /x HTTP/1.1\r\nHost: model.allowed.test\r\n\r\n'
  const seen = await inside(forged)(lab, { ...given, expected_status: 421 })
  return seen
}

/** Two TLS sessions through the proxy, the second one resumed. */
export const resumption: Scenario = async (lab) => {
  const { ca } = lab.authority
  const options = { servername: 'api.allowed.test', ca }
  const first = connectTls({ ...options, socket: await openTunnel(lab, 'api.allowed.test:443') })
  const session = await new Promise<Buffer>((resolve) => {
    first.once('session', resolve)
    first.write('hello')
  })
  first.destroy()
  const second = connectTls({
    ...options,
    session,
    socket: await openTunnel(lab, 'api.allowed.test:443'),
  })
  await once(second, 'secureConnect')
  const reused = second.isSessionReused()
  second.destroy()
  return check(reused, 'the session was not resumed')
}

export const idleTunnel: Scenario = async (lab) => {
  const socket = await openTunnel(lab, 'api.allowed.test:443')
  const tls = connectTls({ socket, servername: 'api.allowed.test', ca: lab.authority.ca })
  await once(tls, 'secureConnect')
  await Promise.race([once(tls, 'close'), readAll(socket, { most: 4_000, quiet: 4_000 })])
  tls.destroy()
  const closed = await lab.proxy?.waitFor('close', ({ reason }) => reason === 'idle_timeout')
  return check(closed !== undefined, 'no close with idle_timeout')
}

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const UPGRADE = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n${KEY}`

export const oddHandshakes: Scenario = async (lab, given) => {
  const url = 'http://plain.allowed.test/ws HTTP/1.1\r\nHost: plain.allowed.test\r\n'
  const bytes = [`POST ${url}${UPGRADE}\r\n`, `GET ${url}${UPGRADE}${KEY}\r\n`]
  const seen = await Promise.all(bytes.map((text) => ask(lab, text)))
  return seen.flatMap((observed) => faultsOf(given, observed, true))
}

export const otherUpgrades: Scenario = async (lab) => {
  const faults: string[] = []
  for (const protocol of ['h2c', 'tcp', 'spdy', 'websocket, h2c']) {
    const fields = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`
    const seen = await ask(
      lab,
      `GET http://plain.allowed.test/x HTTP/1.1\r\nHost: plain.allowed.test\r\n${fields}\r\n`,
    )
    faults.push(...check(seen.statuses[0] === 200, `${protocol}: status ${seen.statuses[0]}`))
    faults.push(
      ...check(!/upgrade/i.test(seen.heads.join()), `${protocol}: the origin saw Upgrade`),
    )
  }
  return faults
}

const HANDSHAKE = (path: string) =>
  `GET http://plain.allowed.test${path} HTTP/1.1\r\nHost: plain.allowed.test\r\n${UPGRADE}\r\n`

/** A server that only says it switched, and sends bytes that no client may take for an answer. */
export const false101: Scenario = async (lab, given) => {
  const path = /(\/ws-[\w-]+)/.exec(given.request)?.[1] ?? '/ws-wrong'
  const seen = await ask(lab, HANDSHAKE(path))
  return [
    ...faultsOf(given, { ...seen, heads: [] }, true).filter(
      (fault) => !/reach the origin/.test(fault),
    ),
    ...check(!seen.text.includes('raw bytes'), 'raw bytes were relayed'),
  ]
}

/** Clients that leave while the server thinks about the handshake. */
export const leavers: Scenario = async (lab) => {
  const before = lab.origin.open()
  for (let count = 0; count < 5; count += 1) {
    const socket = lab.connect()
    send(socket, HANDSHAKE('/ws-never'))
    await readAll(socket, { most: 60 })
    socket.destroy()
  }
  const late = performance.now() + 3_000
  while (lab.origin.open() > before && performance.now() < late) await sleep(10)
  return check(lab.origin.open() <= before, `${lab.origin.open() - before} connections are left`)
}
