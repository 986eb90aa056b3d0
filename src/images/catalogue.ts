/** The images there are, and what each is made of. */
import { packageVersion } from '../package-root.ts'

export type Role = 'agent-bundled' | 'agent-claude' | 'egress-proxy' | 'demo-model'

type Recipe = {
  /** The stage of the Dockerfile. */
  target: string
  /** What the stage is made of: it is up to date as long as these are unchanged. */
  files: string[]
}

/** What every agent image is made of, before the agent itself. */
const AGENT_FILES = [
  'container/base/install-tools.sh',
  'dist/image/init.mjs',
  'dist/image/agent.mjs',
]

const RECIPES: Record<Role, Recipe> = {
  'agent-bundled': { target: 'agent', files: AGENT_FILES },
  'agent-claude': {
    target: 'agent-claude',
    files: [...AGENT_FILES, 'container/claude/package.json', 'container/claude/package-lock.json'],
  },
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
]

export const recipeOf = (role: Role): Recipe => RECIPES[role]

/** Such as `glovebox/egress-proxy:0.1.0`. */
export const imageTag = (role: Role): string => `glovebox/${role}:${packageVersion()}`

/** What a session with the bundled agent needs. */
export const BUNDLED: Role[] = ['egress-proxy', 'agent-bundled']

/** The images behind each word of `glovebox build`. */
export const BUILDABLE: Record<string, Role[]> = {
  bundled: BUNDLED,
  claude: ['egress-proxy', 'agent-claude'],
  demo: [...BUNDLED, 'demo-model'],
  all: [...BUNDLED, 'demo-model', 'agent-claude'],
}
