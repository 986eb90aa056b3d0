/** The images there are, and what each is made of. */
import { packageVersion } from '../package-root.ts'

/** Agents that are npm packages, in `container/<id>/`, and the size of those in MB. */
export const PACKAGED = { claude: 400, codex: 460, gemini: 100, opencode: 180 } as const

export type PackagedAgent = keyof typeof PACKAGED

export type Role = 'agent-bundled' | `agent-${PackagedAgent}` | 'egress-proxy' | 'demo-model'

type Recipe = {
  /** The stage of the Dockerfile. */
  target: string
  /** What the stage is made of: it is up to date as long as these are unchanged. */
  files: string[]
  /** The agent whose npm packages go in. */
  modules?: PackagedAgent
}

/** What every agent image is made of, before the agent itself. */
const AGENT_FILES = [
  'container/base/install-tools.sh',
  'dist/image/init.mjs',
  'dist/image/agent.mjs',
]

/** What an agent's folder holds besides its packages. */
const SETTINGS: Record<PackagedAgent, string[]> = {
  claude: ['managed-settings.json'],
  codex: ['bwrap', 'config.toml', 'default.rules'],
  gemini: ['settings.json', 'start.mjs'],
  opencode: [],
}

const RECIPES: Record<Role, Recipe> = {
  'agent-bundled': { target: 'agent', files: AGENT_FILES },
  'agent-claude': packaged('claude'),
  'agent-codex': packaged('codex'),
  'agent-gemini': packaged('gemini'),
  'agent-opencode': packaged('opencode'),
  'egress-proxy': { target: 'egress-proxy', files: ['dist/image/egress-proxy.mjs'] },
  'demo-model': { target: 'demo-model', files: ['dist/image/demo-model.mjs'] },
}

/**
 * What every build context holds: a classic builder also runs the stages above the one it is asked
 * for, whether that one needs them or not.
 */
export const CONTEXT_FILES = [
  'Dockerfile',
  'container/base/install-tools.sh',
  ...['init', 'agent', 'egress-proxy', 'demo-model'].map((name) => `dist/image/${name}.mjs`),
  ...Object.values(RECIPES).flatMap(({ files, modules }) =>
    modules === undefined ? [] : files.filter((file) => file.startsWith(folderOf(modules))),
  ),
]

export const recipeOf = (role: Role): Recipe => RECIPES[role]

/**
 * Such as `glovebox/egress-proxy:0.1.0`. `GLOVEBOX_VERSION` (compose.yaml reads it too) is another
 * tag, so that several checkouts can share an engine; what runs is decided by the lock, not the tag.
 */
export const imageTag = (role: string): string =>
  `glovebox/${role}:${process.env['GLOVEBOX_VERSION'] ?? packageVersion()}`

/** What a session with the bundled agent needs. */
export const BUNDLED: Role[] = ['egress-proxy', 'agent-bundled']

/** The images behind each word of `glovebox build`. */
export const BUILDABLE: Record<string, Role[]> = {
  bundled: BUNDLED,
  claude: ['egress-proxy', 'agent-claude'],
  codex: ['egress-proxy', 'agent-codex'],
  gemini: ['egress-proxy', 'agent-gemini'],
  opencode: ['egress-proxy', 'agent-opencode'],
  demo: [...BUNDLED, 'demo-model'],
  all: [...BUNDLED, 'demo-model', 'agent-claude', 'agent-codex', 'agent-gemini', 'agent-opencode'],
}

function packaged(agent: PackagedAgent): Recipe {
  const names = ['package.json', 'package-lock.json', ...SETTINGS[agent]]
  const files = [...AGENT_FILES, ...names.map((name) => `${folderOf(agent)}${name}`)]
  return { target: `agent-${agent}`, files, modules: agent }
}

function folderOf(agent: PackagedAgent): string {
  return `container/${agent}/`
}
