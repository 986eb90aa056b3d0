/** Which model the agent talks to; read anew for every session, so that a later set-up counts. */
import { fault } from './errors.ts'

type Provider = 'anthropic' | 'openai'

export type Configuration = {
  provider: Provider
  model: string
  /** The models a user can choose from, the default first. */
  models: string[]
  /** Which of OpenAI's two APIs; servers of other makers have the older one. */
  openAiApi: 'chat' | 'responses'
  /** Without a trailing slash; the API's own paths (`/v1/…`) are appended. */
  baseUrl: string
  /** In the box this is a placeholder: the border puts the real key in. */
  apiKey: string
  /** Tokens; the provider's table decides when absent. */
  contextWindow: number | undefined
  /** US dollars one session may cost, as far as prices are known. */
  costLimit: number | undefined
}

type Environment = Record<string, string | undefined>

/** @throws AgentFault `auth_required` for what is missing, `internal` for what is wrong. */
export function readConfiguration(env: Environment): Configuration {
  const provider = providerFrom(required(env, 'GLOVEBOX_PROVIDER'))
  const model = required(env, 'GLOVEBOX_MODEL')
  return {
    provider,
    model,
    models: modelsFrom(model, env['GLOVEBOX_MODELS']),
    openAiApi: openAiApiFrom(env['GLOVEBOX_OPENAI_API']),
    baseUrl: baseUrlFrom(required(env, 'GLOVEBOX_BASE_URL')),
    apiKey: required(env, 'GLOVEBOX_API_KEY'),
    contextWindow: contextWindowFrom(env['GLOVEBOX_CONTEXT_WINDOW']),
    costLimit: costLimitFrom(env['GLOVEBOX_COST_LIMIT']),
  }
}

function required(env: Environment, name: string): string {
  const value = env[name]?.trim()
  if (value === undefined || value === '') throw fault.notConfigured(name)
  return value
}

function providerFrom(value: string): Provider {
  if (value === 'anthropic' || value === 'openai') return value
  throw fault.badConfiguration('GLOVEBOX_PROVIDER', '"anthropic" or "openai"')
}

/** Separated by commas. */
function modelsFrom(model: string, others = ''): string[] {
  const named = others.split(',').map((name) => name.trim())
  return [...new Set([model, ...named.filter((name) => name !== '')])]
}

function openAiApiFrom(value = 'chat'): 'chat' | 'responses' {
  if (value === 'chat' || value === 'responses') return value
  throw fault.badConfiguration('GLOVEBOX_OPENAI_API', '"chat" or "responses"')
}

function baseUrlFrom(value: string): string {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw fault.badConfiguration('GLOVEBOX_BASE_URL', 'an http or https address')
  return value.replace(/\/+$/, '')
}

function costLimitFrom(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  if (!/^\d+(\.\d+)?$/.test(value))
    throw fault.badConfiguration('GLOVEBOX_COST_LIMIT', 'an amount in US dollars')
  return Number(value)
}

function contextWindowFrom(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  if (!/^\d{3,8}$/.test(value))
    throw fault.badConfiguration('GLOVEBOX_CONTEXT_WINDOW', 'a number of tokens')
  return Number(value)
}
