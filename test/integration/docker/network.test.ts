import { describe, expect, test } from 'vitest'

import { dockerodeEngine } from '../../../src/docker/dockerode-engine.ts'
import { type Answers, fakeEngine } from '../../support/engine/fake-engine.ts'

const labels = { glovebox: '1' }
const options = { 'com.docker.network.bridge.enable_icc': 'false' }
const network = (Id: string, Created: string, changes: object = {}) => ({
  Id,
  Name: 'egress',
  Created,
  Driver: 'bridge',
  Internal: false,
  Options: options,
  Labels: labels,
  ...changes,
})

type Network = ReturnType<typeof network>

/** An engine that, as Docker does, lets two networks of one name come to be. */
function engineOf(networks: Network[], onCreate: (networks: Network[]) => number): Answers {
  return {
    'GET /networks': (response) => void response.end(JSON.stringify(networks)),
    'POST /networks/create': (response) => {
      response.writeHead(onCreate(networks))
      response.end(JSON.stringify({ Id: 'new', Warning: '' }))
    },
    'DELETE /networks/younger': (response) => {
      networks.splice(
        networks.findIndex((one) => one.Id === 'younger'),
        1,
      )
      response.writeHead(204).end()
    },
  }
}

async function ensure(networks: Network[], onCreate: (networks: Network[]) => number = () => 500) {
  await using fake = await fakeEngine(engineOf(networks, onCreate))
  const engine = await dockerodeEngine(fake.info)
  await engine.ensureNetwork('egress', labels)
  return fake.seen
}

describe('ensureNetwork', () => {
  test('makes a bridge whose containers cannot reach each other', async () => {
    const seen = await ensure([], (networks) => networks.push(network('new', '2')) && 201)
    const create = seen.find((one) => one.method === 'POST')
    expect(JSON.parse(create?.body ?? '')).toEqual({
      Name: 'egress',
      CheckDuplicate: true,
      Driver: 'bridge',
      Internal: false,
      Labels: labels,
      Options: options,
    })
  })

  test('uses the one that is there', async () => {
    const seen = await ensure([network('there', '1'), network('x', '0', { Name: 'egress-2' })])
    expect(seen.map((one) => one.method)).toEqual(['GET'])
  })

  test('uses the one another launcher made in between', async () => {
    const seen = await ensure([], (networks) => networks.push(network('theirs', '1')) && 409)
    expect(seen.map((one) => one.method)).toEqual(['GET', 'POST', 'GET'])
  })

  test('keeps the older of two that were made at once', async () => {
    const networks: Network[] = []
    await ensure(networks, (list) => {
      list.push(network('younger', '2026-01-01T00:00:00.2Z'))
      return list.push(network('older', '2026-01-01T00:00:00.1Z')) && 201
    })
    expect(networks.map((one) => one.Id)).toEqual(['older'])
  })

  test.for([
    ['lets its containers talk', { Options: {} }, 'enable_icc is not false'],
    ['is another kind', { Driver: 'macvlan' }, 'driver macvlan instead of bridge'],
    ['is internal', { Internal: true }, 'internal'],
    ["is someone else's", { Labels: null }, 'label glovebox is not 1'],
  ] as const)('refuses one of its name that %s', async ([, changes, why]) => {
    await expect(ensure([network('x', '1', changes)])).rejects.toMatchObject({
      code: 'engine_failed',
      message: expect.stringContaining(why),
      fix: expect.stringContaining('docker network rm egress'),
    })
  })

  test('gives up when the engine never lists what it made', async () => {
    await expect(ensure([], () => 201)).rejects.toMatchObject({ code: 'engine_failed' })
  })
})
