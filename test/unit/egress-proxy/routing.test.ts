import { expect, test } from 'vitest'

import { gatewayTarget } from '../../../egress-proxy/routing.ts'

const routes = [{ id: 'anthropic', preset: 'anthropic', origin: 'https://model.test' } as const]

test.for([
  ['/anthropic/v1/models', '/anthropic/v1/models'],
  ['http://127.0.0.1:3129/x', '/x'],
  ['http://localhost:3129', '/'],
  ['http://gateway:8080/anthropic/v1/models', '/anthropic/v1/models'],
  ['http://gateway:9090/metrics', undefined],
  ['http://gateway.evil.test/anthropic/v1/models', undefined],
  ['http://evil.test/anthropic/v1/models', undefined],
  ['http://x@127.0.0.1:3129/x', undefined],
  ['/.glovebox/control', undefined],
] as const)('%s is for the gateway as %s', ([url, expected]) =>
  expect(gatewayTarget({ url, rawHeaders: ['Host', 'plain.test'] }, routes)).toBe(expected),
)
