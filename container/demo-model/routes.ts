/** Which API a path belongs to. Pure. */
import { chatCompletions } from './chat-completions.ts'
import type { Dialect } from './dialect.ts'
import { gemini } from './gemini.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'

export type Route = {
  kind: 'turn' | 'count' | 'models' | 'hello' | 'unknown'
  dialect: Dialect
  /** In lower case. */
  keyHeader: 'x-api-key' | 'authorization' | 'x-goog-api-key'
}

const ROUTES: [method: string, path: RegExp, route: Route][] = [
  ['POST', /^\/v1\/messages$/, anthropic('turn')],
  ['POST', /^\/v1\/messages\/count_tokens$/, anthropic('count')],
  ['GET', /^\/v1\/models$/, anthropic('models')],
  ['GET', /^\/api\/hello$/, anthropic('hello')],
  ['HEAD', /^\/api\/hello$/, anthropic('hello')],
  ['POST', /^\/v1\/chat\/completions$/, openAi(chatCompletions)],
  ['POST', /^\/v1\/responses$/, openAi(responses)],
  ['POST', /^\/v1beta\/models\/[^/:]+:(?:generateContent|streamGenerateContent)$/, google('turn')],
  ['POST', /^\/v1beta\/models\/[^/:]+:countTokens$/, google('count')],
]

export function routeOf(method: string, path: string): Route {
  const found = ROUTES.find(([verb, shape]) => verb === method && shape.test(path))
  return found?.[2] ?? anthropic('unknown')
}

function anthropic(kind: Route['kind']): Route {
  return { kind, dialect: messages, keyHeader: 'x-api-key' }
}

function openAi(dialect: Dialect): Route {
  return { kind: 'turn', dialect, keyHeader: 'authorization' }
}

function google(kind: Route['kind']): Route {
  return { kind, dialect: gemini, keyHeader: 'x-goog-api-key' }
}
