import { Resolver } from 'node:dns/promises'

import { Refusal } from './reasons.ts'

/** Resolves a name to all its addresses, once. Throws a Refusal (`dns_failed`, `dns_timeout`). */
export type Resolve = (name: string) => Promise<string[]>

/** How long the slower of the A and AAAA answers is waited for once the other is there, in ms. */
const SECOND_ANSWER = 500

/**
 * A resolver that asks for exactly the name it is given: no search domains, no hosts file, no
 * answer kept. Those who ask for a name while its question is under way share the answer. `servers` are
 * `address` or `address:port`; those of /etc/resolv.conf when absent.
 */
export function createResolver(options: {
  servers?: readonly string[] | undefined
  /** Milliseconds for the whole resolution. */
  timeout: number
}): Resolve {
  const tries = 3
  const resolver = new Resolver({ timeout: Math.ceil(options.timeout / tries), tries })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  const underWay = new Map<string, Promise<string[]>>()
  return (name) => {
    const shared = underWay.get(name)
    if (shared !== undefined) return shared
    const answer = resolve(resolver, name, options.timeout).finally(() => underWay.delete(name))
    underWay.set(name, answer)
    return answer
  }
}

async function resolve(resolver: Resolver, name: string, timeout: number): Promise<string[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Refusal('dns_timeout')), timeout)
  try {
    return await Promise.race([both(resolver, name), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function both(resolver: Resolver, name: string): Promise<string[]> {
  const asked = [resolver.resolve4(name), resolver.resolve6(name)]
  const answers = asked.map((answer) => answer.catch(noneOrFailure))
  const first = await firstNonEmpty(answers)
  using patience = waiting(first.length > 0 ? SECOND_ANSWER : undefined)
  const second = await Promise.race([Promise.all(answers), patience.over])
  const all = second === undefined ? first : second.flatMap((answer) => addressesIn(answer))
  if (all.length > 0) return all
  const failure = second?.find((answer) => answer instanceof Refusal)
  throw failure ?? new Refusal('dns_failed')
}

type Answer = string[] | Refusal

function addressesIn(answer: Answer): string[] {
  return answer instanceof Refusal ? [] : answer
}

/** NXDOMAIN and "no such record" are answers; anything else is a failure. */
function noneOrFailure(error: NodeJS.ErrnoException): Answer {
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return []
  return new Refusal(error.code === 'ETIMEOUT' ? 'dns_timeout' : 'dns_failed', { cause: error })
}

/** The first answer with addresses in it, or nothing when all are in. */
async function firstNonEmpty(answers: Promise<Answer>[]): Promise<string[]> {
  const found = answers.map(async (answer) => {
    const addresses = addressesIn(await answer)
    if (addresses.length === 0) throw new Refusal('dns_failed')
    return addresses
  })
  return Promise.any(found).catch(() => [])
}

/** Settles after these milliseconds, or never; leaves no timer behind. */
function waiting(milliseconds: number | undefined): Disposable & { over: Promise<undefined> } {
  const { promise, resolve: settle } = Promise.withResolvers<undefined>()
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => settle(undefined), milliseconds)
  return { over: promise, [Symbol.dispose]: () => clearTimeout(timer) }
}
