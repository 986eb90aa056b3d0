/** What holds when nobody configured anything. */
import { MASKED, PROTECTED } from '../project/guarded/names.ts'
import type { Limits, Policy } from './merge.ts'

const DEFAULT_LIMITS: Limits = {
  memory_mb: 4_096,
  cpus: 4,
  pids: 1_024,
  tmp_mb: 1_024,
  home_mb: 1_024,
  nofile: 65_536,
}

/** The three public providers, nothing else of the network, and the bundled agent. */
export const DEFAULTS: Policy = {
  agent: 'bundled',
  providers: {
    anthropic: {
      preset: 'anthropic',
      base_url: 'https://api.anthropic.com',
      key_env: 'ANTHROPIC_API_KEY',
    },
    openai: { preset: 'openai', base_url: 'https://api.openai.com', key_env: 'OPENAI_API_KEY' },
    gemini: {
      preset: 'gemini',
      base_url: 'https://generativelanguage.googleapis.com',
      key_env: 'GEMINI_API_KEY',
    },
  },
  egress: {
    rules: [],
    deny: [],
    networks: [],
    limits: { connections: 1_024, tunnels: 256, requests: 256, tunnel_idle_s: 900 },
  },
  limits: DEFAULT_LIMITS,
  mask: [...MASKED],
  unmask: [],
  protect: [...PROTECTED],
  planted: 'quarantine',
  project: 'read-write',
  state: 'project',
  unenforced_limits: 'tell',
}
