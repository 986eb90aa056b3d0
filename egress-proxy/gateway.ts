/** Model traffic: `/<route>/…` to that route's provider, with the real key set at the border. */
import { answer } from './answer.ts'
import type { Border } from './border.ts'
import { type Exchange, factsOf } from './forward.ts'
import { gatewayHeaders } from './headers.ts'
import { judgeGateway } from './presets.ts'
import { relay } from './relay.ts'
import { createUsageObserver } from './usage.ts'

/**
 * Judges a gateway request and passes it on. `url` is in origin form, whatever form the client
 * used. Resolves when its exchange is over.
 */
export async function handleGateway(
  border: Border,
  exchange: Exchange,
  url: string,
): Promise<void> {
  const { req, res } = exchange
  const facts = { ...factsOf(req), url }
  const judged = judgeGateway(border.routes, facts)
  if (!judged.ok) {
    const { reason, path, route } = judged
    const flow = border.audit.open({ kind: 'gateway', method: facts.method, path })
    flow.deny(reason)
    const where = route === undefined ? '' : `gateway route ${route.id}`
    answer(req, res, { reason, where, json: true })
    return
  }
  const { route, origin, host, port, path } = judged
  const shown = path.replace(/\?.*$/s, '')
  const flow = border.audit.open({ kind: 'gateway', method: facts.method, host, port, path: shown })
  if (req.headers.expect !== undefined) res.writeContinue()
  await relay({
    ...exchange,
    flow,
    rule: route.id,
    dispatcher: await border.pools.get({
      owner: `gateway ${route.id}`,
      host,
      port,
      tls: origin.startsWith('https:'),
      allowPrivate: route.allow_private ?? [],
    }),
    path,
    headers: gatewayHeaders(req.rawHeaders, route.credential),
    where: `gateway route ${route.id}`,
    json: true,
    bodyTimeout: border.limits.body_timeout,
    maxBody: undefined,
    endMeansGone: true,
    credential: route.credential?.value,
    observe: createUsageObserver(),
  })
}
