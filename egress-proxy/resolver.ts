import { Resolver } from 'node:dns/promises'

import { Refusal } from './reasons.ts'

/** Resolves a name to all its addresses, once. Throws a Refusal (`dns_failed`, `dns_timeout`). */
export type Resolve = (name: string) => Promise<string[]>

/** How long the slower of the A and AAAA answers is waited for once the other is there, in ms. */
const SECOND_ANSWER = 500

/**
 * A resolver that asks for exactly the name it is given: no search domains, no hosts file, no
 * answer kept. `servers` are `address` or `address:port`; those of /etc/resolv.conf when absent.
 */
export function createResolver(options: {
  servers?: readonly string[] | undefined
  /** Milliseconds for the whole resolution. */
  timeout: number
}): Resolve {
  const tries = 3
  const resolver = new Resolver({ timeout: Math.ceil(options.timeout / tries), tries })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  return async (name) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Refusal('dns_timeout')), options.timeout)
    try {
      return await Promise.race([both(resolver, name), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

async function both(resolver: Resolver, name: string): Promise<string[]> {
  const asked = [resolver.resolve4(name), resolver.resolve6(name)]
  const answers = asked.map((answer) => answer.catch(noneOrFailure))
  const first = await firstNonEmpty(answers)
  const second = await Promise.race([Promise.all(answers), wait(SECOND_ANSWER, first.length > 0)])
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

function wait(milliseconds: number, bounded: boolean): Promise<undefined> {
  return new Promise((resolve) => {
    if (bounded) setTimeout(() => resolve(undefined), milliseconds).unref()
  })
}
