import { describe, expect, test } from 'vitest'

import type { GatewayRoute } from '../../../egress-proxy/policy.ts'
import { judgeGateway } from '../../../egress-proxy/presets.ts'
import { gatewayTarget, upgradeKind } from '../../../egress-proxy/routing.ts'

const routes: GatewayRoute[] = [
  { id: 'anthropic', preset: 'anthropic', origin: 'https://api.anthropic.test' },
  { id: 'openai', preset: 'openai', origin: 'https://api.openai.test' },
  { id: 'gemini', preset: 'gemini', origin: 'https://google.test' },
  { id: 'local', preset: 'openai', origin: 'http://model:8080/base/v1' },
]

function judge(method: string, url: string) {
  const judged = judgeGateway(routes, { method, url, version: '1.1', headers: [] })
  return judged.ok ? judged.origin + judged.path : judged.reason
}

describe('the gateway', () => {
  test.for([
    ['POST', '/anthropic/v1/messages', 'https://api.anthropic.test:443/v1/messages'],
    [
      'POST',
      '/anthropic/v1/messages?beta=true',
      'https://api.anthropic.test:443/v1/messages?beta=true',
    ],
    [
      'POST',
      '/anthropic/v1/messages/count_tokens',
      'https://api.anthropic.test:443/v1/messages/count_tokens',
    ],
    ['GET', '/anthropic/v1/models', 'https://api.anthropic.test:443/v1/models'],
    ['GET', '/anthropic/v1/models/claude-x', 'https://api.anthropic.test:443/v1/models/claude-x'],
    ['HEAD', '/anthropic/api/hello', 'https://api.anthropic.test:443/api/hello'],
    ['POST', '/openai/v1/chat/completions', 'https://api.openai.test:443/v1/chat/completions'],
    ['POST', '/openai/v1/responses', 'https://api.openai.test:443/v1/responses'],
    ['POST', '/local/chat/completions', 'http://model:8080/base/v1/chat/completions'],
    [
      'POST',
      '/anthropic/v1/messages?key=k&beta=true&API_KEY=k&%6bey=k',
      'https://api.anthropic.test:443/v1/messages?beta=true',
    ],
    [
      'POST',
      '/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=mine',
      'https://google.test:443/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    ],
    [
      'POST',
      '/gemini/v1beta/models/gemini-2.5-pro:generateContent?key=mine',
      'https://google.test:443/v1beta/models/gemini-2.5-pro:generateContent',
    ],
    [
      'POST',
      '/gemini/v1beta/models/m:countTokens?%6bey=mine',
      'https://google.test:443/v1beta/models/m:countTokens',
    ],
    ['GET', '/gemini/v1beta/models', 'https://google.test:443/v1beta/models'],
    ['GET', '/gemini/v1beta/models/m', 'https://google.test:443/v1beta/models/m'],
    ['GET', '/gemini/v1beta/models/m:generateContent', 'method_not_allowed'],
    ['POST', '/gemini/v1beta/models/m', 'method_not_allowed'],
    ['POST', '/gemini/v1beta/models/m:batchGenerateContent', 'path_not_allowed'],
    ['POST', '/gemini/v1beta/models/m%3abatchGenerateContent:countTokens', 'path_not_allowed'],
    ['POST', '/gemini/v1beta/files', 'path_not_allowed'],
    ['POST', '/gemini/v1beta/tunedModels/m:generateContent', 'path_not_allowed'],
    ['POST', '/gemini/v1/models/m:generateContent', 'path_not_allowed'],
    ['GET', '/anthropic/v1/messages', 'method_not_allowed'],
    ['DELETE', '/anthropic/v1/models/x', 'method_not_allowed'],
    ['GET', '/anthropic/v1/organizations/api_keys', 'path_not_allowed'],
    ['POST', '/anthropic/v1/messages/batches', 'path_not_allowed'],
    ['POST', '/openai/v1/files', 'path_not_allowed'],
    ['POST', '/openai/v1/fine_tuning', 'path_not_allowed'],
    ['GET', '/anthropic', 'path_not_allowed'],
    ['GET', '/anthropic/../openai/v1/models', 'path_not_canonical'],
    ['GET', '/anthropic//evil.test/v1/messages', 'path_not_canonical'],
    ['GET', '/anthropic/https://evil.test/', 'path_not_canonical'],
    ['GET', '//evil.test/', 'path_not_canonical'],
    ['GET', '/anthropic/v1/models/a%2fb', 'path_not_canonical'],
    ['GET', '/other/v1/models', 'route_unknown'],
    ['GET', '/anthropicx/v1/models', 'route_unknown'],
  ] as const)('%s %s: %s', ([method, url, expected]) => expect(judge(method, url)).toBe(expected))
})

const target = (url: string, host = 'x') =>
  gatewayTarget({ url, rawHeaders: ['Host', host] }, routes)

describe('a request is for the gateway', () => {
  test.for([
    ['/anthropic/v1/messages', 'x', '/anthropic/v1/messages'],
    ['/x', '127.0.0.1:3129', '/x'],
    ['//evil.test/', 'localhost:3129', '//evil.test/'],
    ['http://127.0.0.1:3129/openai/v1/models', 'x', '/openai/v1/models'],
    ['http://LOCALHOST:3129', 'x', '/'],
    ['/x', 'plain.allowed.test', undefined],
    ['http://127.0.0.1:3128/openai/v1/models', 'x', undefined],
    ['http://evil.test/openai/v1/models', '127.0.0.1:3129', undefined],
    ['http://127.0.0.1:3129@evil.test/', 'x', undefined],
    ['/.glovebox/control', '127.0.0.1:3129', undefined],
  ] as const)('%s with Host %s: %s', ([url, host, expected]) =>
    expect(target(url, host)).toBe(expected),
  )
})

test.for([
  ['/ws', ['Upgrade', 'WebSocket'], 'websocket'],
  ['/ws', ['Upgrade', 'websocket, h2c'], undefined],
  ['/ws', ['Upgrade', 'h2c'], undefined],
  ['/ws', ['Upgrade', 'websocket', 'Upgrade', 'websocket'], undefined],
  ['/.glovebox/control', ['Upgrade', 'glovebox-control'], 'control'],
  ['http://x/.glovebox/control', ['Upgrade', 'glovebox-control'], undefined],
  ['/x', [], undefined],
] as const)('%s with %j changes the protocol to %s', ([url, rawHeaders, kind]) =>
  expect(upgradeKind({ url, rawHeaders })).toBe(kind),
)
