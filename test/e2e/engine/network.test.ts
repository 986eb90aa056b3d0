import Dockerode from 'dockerode'
import { describe, expect, test } from 'vitest'

import { findEngine } from '../../../src/docker/find.ts'
import { testEngines } from '../../support/engine/engines.ts'

const labels = { 'glovebox-test': 'network' }

function raw(uri: string): Dockerode {
  return new Dockerode({ socketPath: uri.slice('unix://'.length) })
}

describe.for(await testEngines())('On %s', ([, uri]) => {
  test('launchers that start at once share one network, and a foreign one is refused', async () => {
    const name = `glovebox-test-${process.pid}`
    const engines = await Promise.all([1, 2, 3, 4].map(() => findEngine({ DOCKER_HOST: uri })))
    const docker = raw(uri)
    const named = async () =>
      (await docker.listNetworks({ filters: { name: [name] } })).filter((one) => one.Name === name)
    try {
      await Promise.all(engines.map((engine) => engine.ensureNetwork(name, labels)))
      const [network, ...more] = await named()
      expect(more).toEqual([])
      expect(network).toMatchObject({ Driver: 'bridge', Internal: false, Labels: labels })
      // Podman has no such option: its containers on one network can reach each other.
      const options = { 'com.docker.network.bridge.enable_icc': 'false' }
      expect(network?.Options).toEqual(engines[0]?.info.kind === 'docker' ? options : {})
      await expect(engines[0]?.ensureNetwork(name, { other: 'label' })).rejects.toMatchObject({
        code: 'engine_failed',
      })
    } finally {
      await Promise.all((await named()).map((one) => docker.getNetwork(one.Id).remove()))
    }
  })
})
