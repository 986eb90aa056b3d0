import { expect, test } from 'vitest'

import { Limits } from '../../../egress-proxy/messages.ts'
import { DEFAULTS } from '../../../src/policy/defaults.ts'
import { proxyLimits } from '../../../src/policy/egress-limits.ts'
import { mergePolicy } from '../../../src/policy/merge.ts'
import { AdminPolicy, ProjectPolicy, UserConfig } from '../../../src/policy/schema.ts'

const user = UserConfig.parse({ version: 1, egress: { limits: { tunnels: 1_000 } } })
const admin = AdminPolicy.parse({ version: 1, egress: { limits: { tunnel_bytes: 500 } } })
const project = ProjectPolicy.parse({
  version: 1,
  egress: { limits: { tunnels: 9, tunnel_idle_s: 9_999, tunnel_bytes: 900 } },
})

test('the user may widen the bounds of tunnels, and the other layers only narrow them', () => {
  expect(mergePolicy({}).egress.limits).toEqual(DEFAULTS.egress.limits)
  expect(mergePolicy({ user }).egress.limits).toMatchObject({ tunnels: 1_000, requests: 256 })
  expect(mergePolicy({ user, admin, project }).egress.limits).toEqual({
    ...DEFAULTS.egress.limits,
    tunnels: 9,
    tunnel_bytes: 500,
  })
})

test('the proxy takes them as they are', () => {
  const told = proxyLimits(mergePolicy({ user, admin }).egress.limits)
  expect(Limits.parse(told)).toMatchObject({ tunnel_idle: 900_000, tunnel_bytes: 500 })
})
