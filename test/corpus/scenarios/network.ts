/**
 * What a container without network cannot do: the same attempts in a network namespace that has
 * loopback only, as `network none` gives it.
 */
import { spawnSync } from 'node:child_process'

import { KEY } from '../lab.ts'
import { type Scenario, check } from './tools.ts'

/** Prints the codes with which TCP, UDP and IPv6 attempts ended. */
const ATTEMPTS = `
  const net = require('node:net'), dgram = require('node:dgram'), os = require('node:os')
  const tcp = (host, port) => new Promise((done) => {
    const socket = net.connect({ host, port, timeout: 1000 })
    socket.on('connect', () => done('connected')).on('error', ({ code }) => done(code)).on('timeout', () => done('timeout'))
  })
  const udp = (host, port) => new Promise((done) => {
    const socket = dgram.createSocket('udp4')
    socket.on('error', ({ code }) => done(code))
    socket.send('x', port, host, (error) => done(error?.code ?? 'sent'))
  })
  const links = Object.values(os.networkInterfaces()).flat().filter(({ internal }) => !internal)
  const [dns] = process.argv.slice(1).map(Number)
  Promise.all([
    ...['127.0.0.3', '127.0.0.2', '192.0.2.1', '2001:db8::1'].flatMap((host) => [tcp(host, 80), tcp(host, 443)]),
    udp('192.0.2.1', 53), udp('192.0.2.1', 443), tcp('127.0.0.1', dns),
  ]).then((codes) => { console.log(JSON.stringify({ codes, links: links.length })); process.exit() })
`

const UNREACHED = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED', 'EADDRNOTAVAIL'])

export const noNetwork: Scenario = async (lab) => {
  const before = lab.dns.queries.length
  const port = lab.dns.server.split(':')[1] ?? ''
  const command = ['--map-root-user', '--net', process.execPath, '-e', ATTEMPTS, port]
  const { status, stdout, stderr } = spawnSync('unshare', command, { encoding: 'utf8' })
  if (status !== 0) return [`a namespace without network cannot be made here: ${stderr.trim()}`]
  const { codes, links }: { codes: string[]; links: number } = JSON.parse(stdout)
  return [
    ...check(links === 0, `${links} links to outside`),
    ...codes.filter((code) => !UNREACHED.has(code)).map((code) => `an attempt ended ${code}`),
    ...lab.takeTrespasses().map((place) => `a connection reached ${place}`),
    ...check(lab.dns.queries.length === before, 'DNS was asked'),
  ]
}

/** The proxy takes policy and keys once, from its own standard input: not from its environment or arguments. */
export const sharedVolume: Scenario = async (lab) => {
  const { proxy } = lab
  if (proxy === undefined) return ['our own proxy is needed']
  const { readFileSync } = await import('node:fs')
  const of = (name: string) => readFileSync(`/proc/${proxy.child.pid}/${name}`, 'utf8')
  const seen = of('environ') + of('cmdline')
  const folder = (await import('node:fs')).readdirSync(proxy.folder).toSorted()
  return [
    ...check(!seen.includes(KEY) && !seen.includes('allowed.test'), 'policy in the environment'),
    ...check(
      folder.join() === 'egress.sock,group,passwd',
      `the shared folder holds ${folder.join()}`,
    ),
  ]
}
