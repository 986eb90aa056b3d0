/** `glovebox agents`: which agents there are, in which version, and what each still lacks. */
import { type AgentReadiness, agentReadiness } from '../agents/readiness.ts'
import type { Engine } from '../docker/engine.ts'
import { findEngine } from '../docker/find.ts'
import { EXIT, GloveboxError } from '../errors.ts'
import { readLock } from '../images/lock.ts'
import { loadPolicy } from '../policy/load.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox agents [--json]'

/** Starts nothing; returns 0 however ready they are. Errors: `usage`, `config_invalid`. */
export async function agentsCommand(argv: string[], io: Io): Promise<number> {
  const { values } = parseArguments(USAGE, argv, { json: { type: 'boolean' } })
  const paths = statePaths(io.env)
  const [engine, lock] = await Promise.all([engineOrFault(io.env), readLock(paths.lock)])
  const policy = loadPolicy(paths, undefined)
  const agents = await agentReadiness({ engine, lock, policy, env: io.env })
  const text = values['json'] === true ? JSON.stringify({ agents }, undefined, 2) : render(agents)
  io.stdout.write(`${text}\n`)
  return EXIT.ok
}

async function engineOrFault(env: Io['env']): Promise<Engine | GloveboxError> {
  try {
    return await findEngine(env)
  } catch (error) {
    if (error instanceof GloveboxError) return error
    throw error
  }
}

function render(agents: AgentReadiness[]): string {
  const width = Math.max(...agents.map(({ id }) => id.length))
  return agents
    .flatMap(({ id, title, version, ready, provider, missing, ...agent }) => [
      [
        agent.default ? '*' : ' ',
        id.padEnd(width),
        `${title} ${version}:`,
        ready ? `ready, with ${provider}` : 'not ready',
      ].join(' '),
      ...missing.map((sentence) => `    ${sentence}`),
    ])
    .join('\n')
}
