/** A process that holds a proxy and an agent container as the launcher does, to be killed. */
import { once } from 'node:events'

import { type ContainerBody, type CreatedContainer } from '../../../src/docker/engine.ts'
import { findEngine } from '../../../src/docker/find.ts'

type Order = {
  uri: string
  proxy: ContainerBody
  agent: ContainerBody
  until: 'created' | 'attached' | 'started'
}

const order: Order = JSON.parse(process.argv[2] ?? '')
const engine = await findEngine({ DOCKER_HOST: order.uri })
const proxy = await engine.create(order.proxy)
await hold(proxy)
const agent = await engine.create({
  ...order.agent,
  HostConfig: { ...order.agent.HostConfig, VolumesFrom: [`${proxy.id}:ro`] },
})
if (order.until !== 'created') await hold(agent)
process.stdout.write('ready\n')
await once(process.stdin, 'close')

async function hold(container: CreatedContainer): Promise<void> {
  const streams = await container.attach()
  streams.stdout.resume()
  streams.stderr.resume()
  if (container === proxy || order.until === 'started') await container.start()
}
