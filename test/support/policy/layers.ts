/** Random policy layers over a small world, so that rules meet often. */
import * as fc from 'fast-check'

import type { EgressDeny, EgressRule } from '../../../egress-proxy/policy.ts'
import type { Layers } from '../../../src/policy/merge.ts'

const HOSTS = ['*.x.test', '*.a.x.test', 'a.x.test', 'b.x.test', 'c.a.x.test', 'x.test']
export const NAMES = ['x.test', 'a.x.test', 'b.x.test', 'c.a.x.test', 'd.a.x.test', 'y.test']
export const PORTS = [443, 80]
export const METHODS = ['GET', 'POST']
const PATHS = ['/**', '/a/**', '/a/*', '/a/b', '/*/b']
export const ASKED_PATHS = ['/a/b', '/a/c', '/c/b', '/a/b/d', '/']
const RANGES = ['10.0.0.0/8', '10.1.0.0/16', '10.2.0.0/16', '192.168.0.0/16', 'fd00::/8']
export const ADDRESSES = ['10.1.2.3', '10.2.2.3', '10.9.9.9', '192.168.1.1', 'fd00::1']

const some = <T>(values: T[], minLength = 1) => fc.subarray(values, { minLength })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const rule = fc.record({
  host: fc.constantFrom(...HOSTS),
  ports: some(PORTS),
  protocol: fc.constantFrom('tls' as const, 'http' as const, 'tcp' as const),
  allow_private: optional(some(RANGES)),
  methods: optional(some(METHODS)),
  paths: optional(some(PATHS)),
  max_request_bytes: optional(fc.constantFrom(10, 100)),
  sni: optional(fc.constantFrom('required', 'optional')),
  ech: optional(fc.constantFrom('deny', 'allow')),
})
const rules: fc.Arbitrary<EgressRule[]> = fc
  .array(rule, { maxLength: 4 })
  .map((list) => list.map((fields, index) => ({ ...fields, id: `r${index}` })))
const deny: fc.Arbitrary<EgressDeny[]> = fc.array(
  fc.record({ host: fc.constantFrom(...HOSTS), ports: optional(some(PORTS)) }),
  { maxLength: 1 },
)

const limits = fc.record(
  { memory_mb: fc.integer({ min: 64, max: 9_000 }), cpus: fc.integer({ min: 1, max: 8 }) },
  { requiredKeys: [] },
)
const common = {
  version: fc.constant(1 as const),
  agents: optional(some(['bundled', 'claude', 'codex'], 0)),
  limits: optional(limits),
  unenforced_limits: optional(fc.constantFrom('refuse', 'tell')),
}
const provider = fc.record({
  preset: fc.constantFrom('anthropic', 'openai', 'gemini'),
  base_url: fc.constantFrom('https://a.x.test', 'https://a.x.test/', 'http://b.x.test/v1'),
  allow_private: optional(some(RANGES)),
  insecure_http: optional(fc.boolean()),
})
const providers = optional(fc.dictionary(fc.constantFrom('anthropic', 'p', 'q'), provider))
const egress = optional(fc.record({ rules: optional(rules), deny: optional(deny) }))
const networked = optional(
  fc.record({
    rules: optional(rules),
    deny: optional(deny),
    networks: optional(some(['n', 'm'], 0)),
  }),
)

/** Three layers, each of which may be missing. */
export const layers: fc.Arbitrary<Layers> = fc.record({
  admin: optional(fc.record({ ...common, egress: networked, providers })),
  user: optional(fc.record({ ...common, egress: networked, providers })),
  project: optional(fc.record({ ...common, egress })),
})
