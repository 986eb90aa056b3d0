/** `glovebox gc`: removes what dead launchers left, and says what it was. */
import { findEngine } from '../docker/find.ts'
import { EXIT, GloveboxError } from '../errors.ts'
import { collect, type Collected } from '../session/collect.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox gc [--state-unused-for DAYS] [--json]'

/** Returns 0. Errors: `usage`, those of finding an engine, `engine_failed`. */
export async function gcCommand(argv: string[], io: Io): Promise<number> {
  const options = { 'state-unused-for': { type: 'string' }, json: { type: 'boolean' } } as const
  const { values } = parseArguments(USAGE, argv, options)
  const stateDays = daysOf(values['state-unused-for'])
  const engine = await findEngine(io.env)
  const paths = statePaths(io.env)
  const removed = await collect(engine, stateDays === undefined ? { paths } : { paths, stateDays })
  const text =
    values['json'] === true ? JSON.stringify({ removed }, undefined, 2) : renderCollected(removed)
  io.stdout.write(`${text}\n`)
  return EXIT.ok
}

function daysOf(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^\d{1,5}$/.test(value)) return Number(value)
  throw new GloveboxError(
    'usage',
    `--state-unused-for takes a number of days, not ${JSON.stringify(value)}.`,
    `Usage: ${USAGE}`,
  )
}

/** One line for each thing. */
export function renderCollected(removed: Collected): string {
  const { containers, volumes, networks, state_volumes: state, files } = removed
  const lines = [
    ...containers.map((id) => `removed container ${id.slice(0, 12)}`),
    ...volumes.map((name) => `removed volume ${name}`),
    ...networks.map((name) => `removed network ${name}`),
    ...state.map((name) => `removed volume of stored sessions ${name}`),
    ...files.map((path) => `removed ${path}`),
  ]
  return lines.length === 0 ? 'There was nothing to remove.' : lines.join('\n')
}
