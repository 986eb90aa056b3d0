/** What the scenarios share. */
import { send } from '../../support/egress/raw-client.ts'
import type { CorpusCase } from '../corpus-file.ts'
import type { Lab } from '../lab.ts'
import {
  type Observed,
  type Patience,
  faultsInReach,
  faultsOf,
  observe,
  readAll,
} from '../observe.ts'

/** Returns what is wrong; empty when the case is passed. */
export type Scenario = (lab: Lab, given: CorpusCase) => Promise<string[]>

/** Sends bytes on a new connection and observes what comes of it. */
export function ask(lab: Lab, bytes: string, patience?: Patience): Promise<Observed> {
  return observe(lab, async () => {
    const socket = lab.connect()
    send(socket, bytes)
    const read = await readAll(socket, patience)
    socket.destroy()
    return read
  })
}

/** A forward request. */
export function request(host: string, path = '/x', fields = '', method = 'GET'): string {
  return `${method} http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`
}

/** A gateway request with a small JSON body. */
export function modelRequest(path: string, fields = ''): string {
  const fixed = 'Host: 127.0.0.1:3129\r\nContent-Type: application/json\r\nContent-Length: 2\r\n'
  return `POST ${path} HTTP/1.1\r\n${fixed}${fields}\r\n{}`
}

/** A scenario of several requests, each of which must end as the case expects. */
export function each(...requests: string[]): Scenario {
  return async (lab, given) => {
    const faults: string[] = []
    for (const bytes of requests) {
      const seen = await ask(lab, bytes)
      faults.push(
        ...faultsOf(given, seen, true).map((fault) => `${bytes.split('\r\n', 1)[0]}: ${fault}`),
      )
    }
    return faults
  }
}

/** A scenario in which the request must pass, and the origin must not see certain text. */
export function sanitized(bytes: string, forbidden: RegExp, needed?: RegExp): Scenario {
  return async (lab) => {
    const seen = await ask(lab, bytes)
    const text = seen.heads.join('\n')
    return [
      ...faultsInReach(seen),
      ...check(seen.statuses[0] === 200, `status ${seen.statuses[0]}, expected 200`),
      ...check(seen.heads.length === 1, `${seen.heads.length} requests reached the origin`),
      ...check(!forbidden.test(text), `the origin saw ${forbidden.exec(text)?.[0]}`),
      ...check(
        needed === undefined || needed.test(text),
        `the origin did not see ${needed?.source}`,
      ),
    ]
  }
}

export function check(fine: boolean, fault: string): string[] {
  return fine ? [] : [fault]
}
