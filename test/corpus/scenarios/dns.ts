import { send } from '../../support/egress/raw-client.ts'
import { faultsOf, observe, readAll } from '../observe.ts'
import { type Scenario, ask, check, each, request } from './tools.ts'

/** The second request, after the name turned to a private address, must end as the case expects. */
export const rebind: Scenario = async (lab, given) => {
  const first = await ask(lab, request('rebind.wild.test'))
  const second = await ask(lab, request('rebind.wild.test'))
  return [
    ...check(first.statuses[0] === 200, 'the first request failed'),
    ...faultsOf(given, second, true),
  ]
}

/** Two requests over one client connection reuse a connection that was checked. */
export const reuse: Scenario = async (lab) => {
  const bytes = request('keep.wild.test')
  const seen = await ask(lab, bytes + bytes)
  return check(seen.statuses.join() === '200,200', seen.statuses.join())
}

export const embedded: Scenario = each(
  ...[0, 1, 2, 3, 4, 5].map((number) => request(`v6-${number}.wild.test`)),
)

export const silentResolver: Scenario = each(request('slow.wild.test'))
export const emptyAnswer: Scenario = each(request('empty.wild.test'))
export const mixedAnswer: Scenario = each(request('mixed.wild.test'))
export const sibling: Scenario = each(request('alias.wild.test'))
export const twoFamilies: Scenario = each(request('dual.wild.test'))

/** A server that cannot be reached: told before 200, although the client already sent its greeting. */
export const unreachable: Scenario = async (lab, given) => {
  const seen = await observe(lab, async () => {
    const socket = lab.connect()
    send(socket, 'CONNECT down.wild.test:443 HTTP/1.1\r\n\r\n\u0016\u0003\u0001')
    const read = await readAll(socket)
    socket.destroy()
    return read
  })
  return faultsOf(given, seen, true)
}

export const chain: Scenario = each(request('chain.wild.test'))
export const forgedAnswer: Scenario = each(request('forged.wild.test'))
export const truncatedAnswer: Scenario = each(request('tc.wild.test'))
export const hugeAnswer: Scenario = each(request('huge.wild.test'))
export const only6: Scenario = each(request('only6.wild.test'))
