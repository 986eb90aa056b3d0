import { existsSync, readFileSync } from 'node:fs'

import { statePaths } from '../state.ts'

export type Configured = {
  /** The agent to run. */
  agent: string
  /** Whether any model provider has a key, or needs none, as far as can be seen without asking it. */
  hasKey: boolean
  /** Whether sessions outlive their containers. */
  keepsSessions: boolean
}

type Loose = {
  agent?: unknown
  state?: unknown
  providers?: Record<string, { key_env?: string; key_file?: string; base_url?: string } | null>
} | null

/**
 * What `initialize` needs of the user's configuration, read without the validator so that the
 * answer is quick; the first session reads the file again and reports what is wrong with it.
 */
export function readConfigured(env: Record<string, string | undefined>): Configured {
  const { userConfig, adminPolicy } = statePaths(env)
  const config = read(userConfig)
  const named = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY']
  const own = Object.values(config?.providers ?? {}).some((provider) => {
    if (provider === null) return false
    if (provider.key_file !== undefined) return existsSync(provider.key_file)
    if (provider.key_env !== undefined) return isSet(env[provider.key_env])
    return provider.base_url !== undefined
  })
  return {
    agent: typeof config?.agent === 'string' ? config.agent : 'bundled',
    keepsSessions: [config, read(adminPolicy)].every((layer) => layer?.state !== 'ephemeral'),
    hasKey: own || named.some((name) => isSet(env[name])),
  }
}

function read(path: string): Loose {
  try {
    const config: Loose = JSON.parse(readFileSync(path, 'utf8'))
    return config
  } catch {
    return null
  }
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''
