/**
 * Names for programs that know no proxy: the resolver says for each allowed name an address of its
 * own, and what connects there goes to the proxy as a CONNECT for that name. Nothing is asked outside.
 */
import { hostname } from 'node:os'

import { type Query, TYPE, parseQuery, reply } from './dns-message.ts'
import { InitFault, EXIT, reasonOf } from './fault.ts'
import type { FromInit } from './messages.ts'
import { type Names, lookUp } from './names.ts'
import { tellRefusedNames } from './refused-names.ts'
import { listenForQuestions } from './resolver.ts'
import { type AddressOf, giveAddresses } from './synthetic.ts'

const LOOPBACK = '127.0.0.1'

export type NameService = {
  /** Takes the proxy's names; questions that came before wait for them. */
  learn: (names: Names) => void
  /** Answers on 127.0.0.1 from when it resolves; rejects with an InitFault. */
  listen: (port: number) => Promise<void>
}

/** `send` carries what was refused to the proxy, which records it. */
export function createNameService(
  socketPath: string,
  send: (message: FromInit) => void,
): NameService {
  const names = Promise.withResolvers<Names>()
  const addressOf = giveAddresses(socketPath)
  const refused = tellRefusedNames(send)
  const answer = async (question: Buffer) => {
    const parsed = parseQuery(question)
    if (!parsed.ok) return parsed.reply
    return answerTo(parsed.query, { names: await names.promise, addressOf, refused })
  }
  return {
    learn: names.resolve,
    async listen(port) {
      try {
        await listenForQuestions(port, answer)
      } catch (error) {
        // Where low ports are kept for root, all that honours the proxy variables still works.
        if (reasonOf(error) === 'EACCES') {
          process.stderr.write(`glovebox-init: no resolver: port ${port} is kept for root.\n`)
          return
        }
        const what = `Port ${port} of ${LOOPBACK} cannot be listened on: ${reasonOf(error)}.`
        throw new InitFault(EXIT.unavailable, what, { cause: error })
      }
    },
  }
}

type Parts = { names: Names; addressOf: AddressOf; refused: (name: string) => void }

async function answerTo(query: Query, { names, addressOf, refused }: Parts): Promise<Buffer> {
  const { host, type } = query
  const wantsAddress = type === TYPE.a || type === TYPE.any
  if (isOwn(host)) return reply(query, 'ok', wantsAddress ? LOOPBACK : undefined)
  const found = host === undefined ? undefined : lookUp(names, host)
  if (host === undefined || found === undefined) {
    if (!isLoopbackReverse(host)) refused(query.shown)
    return reply(query, 'noName')
  }
  // For every type: a name whose ports are taken must not look like one that only has no IPv6.
  const address = await addressOf(host, found)
  if (address === undefined) return reply(query, 'failed')
  return reply(query, 'ok', wantsAddress ? address : undefined)
}

/** RFC 6761, 6.3; and the name of this container, which some runtimes look up at their start. */
function isOwn(host: string | undefined): boolean {
  if (host === undefined) return false
  return host === 'localhost' || host.endsWith('.localhost') || host === hostname().toLowerCase()
}

/** Programs ask for the names of their own addresses: nobody was refused a host there. */
function isLoopbackReverse(host: string | undefined): boolean {
  return host?.endsWith('.127.in-addr.arpa') === true
}
