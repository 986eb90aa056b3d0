import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { type Layers, mergePolicy } from '../../../src/policy/merge.ts'
import { layers } from '../../support/policy/layers.ts'
import {
  egressBeyond,
  isSubset,
  providersBeyond,
  settingsBeyond,
} from '../../support/policy/within.ts'

/** By layer and subject, where the merged policy goes beyond; empty when nowhere. */
function beyond({ admin, user, project }: Layers): Record<string, unknown[]> {
  const merged = mergePolicy({ admin, user, project })
  const alone = mergePolicy({ user })
  const routes = Object.values(admin?.providers ?? merged.providers)
  const networks = admin?.egress?.networks ?? alone.egress.networks
  const found: Record<string, unknown[]> = {
    admin: egressBeyond(merged, admin?.egress),
    user: egressBeyond(merged, alone.egress),
    project: egressBeyond(merged, project?.egress),
    settings: [admin, project].flatMap((layer) => settingsBeyond(merged, layer)),
    ownProviders: providersBeyond(merged, Object.values(alone.providers)),
    adminProviders: providersBeyond(merged, routes),
    networks: isSubset(merged.egress.networks, networks) ? [] : merged.egress.networks,
    ids: repeated(merged.egress.rules.map(({ id }) => id)),
  }
  return Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0))
}

function repeated(ids: string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

test('what the merged policy allows, each layer alone allows', () => {
  const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 600) }
  const holds = fc.property(layers, (three) => {
    expect(beyond(three)).toEqual({})
  })
  fc.assert(holds, runs)
}, 300_000)

test('a project takes away and never adds', () => {
  fc.assert(
    fc.property(layers, ({ admin, user, project }) => {
      const without = mergePolicy({ admin, user })
      const merged = mergePolicy({ admin, user, project })
      expect(egressBeyond(merged, without.egress)).toEqual([])
      expect(without.providers).toMatchObject(merged.providers)
      expect([merged.egress.networks, merged.agent]).toEqual([
        without.egress.networks,
        without.agent,
      ])
    }),
    { numRuns: 300 },
  )
}, 20_000)
