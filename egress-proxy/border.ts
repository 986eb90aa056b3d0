/** What every part of the border shares for one session. */
import type { Audit } from './audit.ts'
import { type Policy, policyFrom } from './decide.ts'
import { type Dial, createDial } from './dial.ts'
import { type Limits, limitsFrom } from './limits.ts'
import type { Configure } from './messages.ts'
import type { GatewayRoute } from './policy.ts'
import { type Pools, createPools } from './pools.ts'
import { createResolver } from './resolver.ts'

export type Border = {
  policy: Policy
  routes: readonly GatewayRoute[]
  limits: Limits
  audit: Audit
  dial: Dial
  pools: Pools
  active: { requests: number; tunnels: number }
}

export type Settings = Pick<
  Configure,
  'rules' | 'deny' | 'gateway' | 'dns_servers' | 'ca_certificates' | 'limits'
>

export function createBorder(settings: Settings, audit: Audit, hostname: string): Border {
  const limits = limitsFrom(settings.limits)
  const resolve = createResolver({ servers: settings.dns_servers, timeout: limits.dns_timeout })
  const dial = createDial(resolve, limits.connect_timeout)
  const pools = createPools({
    dial,
    connectTimeout: limits.connect_timeout,
    responseTimeout: limits.response_timeout,
    certificates: settings.ca_certificates,
    tlsExpected: settings.gateway.some(({ origin }) => origin.startsWith('https:')),
  })
  return {
    policy: policyFrom(settings, hostname),
    routes: settings.gateway,
    limits,
    audit,
    dial,
    pools,
    active: { requests: 0, tunnels: 0 },
  }
}
