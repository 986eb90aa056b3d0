/** Hosts, Host fields and configurations. */
import { parseHost } from '../../../egress-proxy/authority.ts'
import { EgressRule } from '../../../egress-proxy/policy.ts'
import { configureWith, spawnProxy, startProxy } from '../../support/egress/proxy-process.ts'
import { exchange, wholeResponse } from '../../support/egress/raw-client.ts'
import type { CorpusCase } from '../corpus-file.ts'
import { type Scenario, check, each, request } from './tools.ts'

const PLAIN = 'plain.allowed.test'

const withHost = (host: string) => `GET http://${PLAIN}/x HTTP/1.1\r\nHost: ${host}\r\n\r\n`

export const hostVariants: Scenario = each(
  ...[`${PLAIN}:8080`, `${PLAIN}:`, `[${PLAIN}]`, ''].map(withHost),
)

const LOCAL_NAMES = ['localhost', 'LOCALHOST', 'localhost.', 'foo.localhost', 'ip6-localhost']
const NEIGHBOURS = ['host.docker.internal', 'gateway.docker.internal', 'kubernetes.default.svc']

export const localNames: Scenario = each(
  ...[...LOCAL_NAMES, ...NEIGHBOURS].map((name) => request(name)),
)

export const dotsAreDots: Scenario = each(request('plainXallowed.test'), request('a.wildXtest'))

/** Strings that reach the host parser by other ways than HTTP. */
export const hostStrings: Scenario = async (_lab, given) => {
  const hosts = [...given.request.matchAll(/"([^"]+)"/g)].map(([, text = '']) => unescape(text))
  return hosts.flatMap((host) => {
    const parsed = parseHost(host)
    const reason = parsed.ok ? 'accepted' : parsed.reason
    return check(reason === given.expected_reason, `${JSON.stringify(host)} is ${reason}`)
  })
}

function unescape(text: string): string {
  return text
    .replaceAll(String.raw`\t`, '\t')
    .replaceAll(String.raw`\n`, '\n')
    .replaceAll(String.raw`\0`, '\0')
}

/** Every quoted text of the case is a host that no rule may have. */
export const refusedHosts: Scenario = async (_lab, given) => {
  const hosts = [...given.request.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)
  const accepted = hosts.filter(
    (host) => EgressRule.safeParse({ id: 'x', host, ports: [443], protocol: 'tls' }).success,
  )
  return [
    ...check(hosts.length > 0, 'no host was found'),
    ...accepted.map((host) => `${host} is accepted`),
  ]
}

export const emptyRules: Scenario = async (lab) => {
  await using proxy = await startProxy({ rules: [], dns_servers: [lab.dns.server] })
  const answer = await exchange(proxy.connect(), request(PLAIN), { enough: wholeResponse })
  const reason = answer.header('x-egress-reason')
  return check(answer.status === 403 && reason === 'host_not_allowed', `${answer.status} ${reason}`)
}

/** Nothing listens before, or without, a valid configuration. */
export const failClosed: Scenario = async () => {
  await using waiting = await spawnProxy()
  await waiting.waitFor('hello')
  const heard = await new Promise<boolean>((resolve) => {
    waiting
      .connect()
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false))
  })
  waiting.sendRaw('{"type":"configure"}\n')
  const code = await waiting.exited
  return [...check(!heard, 'it listens without a policy'), ...check(code === 78, `exit ${code}`)]
}

function refusedRoute(more: object): Scenario {
  return async () => {
    await using proxy = await spawnProxy()
    const credential = { header: 'authorization', value: 'sk-x' }
    const route = { id: 'm', preset: 'openai', origin: 'https://m.test', credential, ...more }
    proxy.send({ ...configureWith({}), gateway: [route] })
    const code = await proxy.exited
    return check(code === 78, `exit ${code}`)
  }
}

export const keyOverHttp = refusedRoute({ origin: 'http://m.test' })

const badKey = (value: string) => refusedRoute({ credential: { header: 'authorization', value } })

export const badKeys: Scenario = async (lab, given: CorpusCase) => {
  const results = await Promise.all(['', 'a\nb', ' '].map((value) => badKey(value)(lab, given)))
  return results.flat()
}
