/** `glovebox ps`: which sessions run, for which project and agent, since when, and what they use. */
import { columns } from '../client/columns.ts'
import type { ContainerUsage } from '../docker/engine.ts'
import { findEngine } from '../docker/find.ts'
import { EXIT } from '../errors.ts'
import { listSessions, type ListedSession, shortId } from '../session/listing.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox ps [--json]'
const MIB = 1024 * 1024

type Row = ListedSession & { usage: ContainerUsage | undefined }

/** Returns 0, with or without sessions. Errors: `usage`, those of finding an engine, `engine_failed`. */
export async function psCommand(argv: string[], io: Io): Promise<number> {
  const { values } = parseArguments(USAGE, argv, { json: { type: 'boolean' } })
  const engine = await findEngine(io.env)
  const rows = await Promise.all(
    (await listSessions(engine)).map(async (listed): Promise<Row> => {
      // One that ends in this moment has no figures.
      const usage = await engine
        .container(listed.container)
        .usage()
        .catch(() => undefined)
      return { ...listed, usage }
    }),
  )
  const text =
    values['json'] === true
      ? JSON.stringify({ sessions: rows.map(toJson) }, undefined, 2)
      : renderRows(rows, Date.now())
  io.stdout.write(`${text}\n`)
  return EXIT.ok
}

function toJson({ usage, since, ...row }: Row): object {
  return {
    ...row,
    since: new Date(since).toISOString(),
    memory_bytes: usage?.memory ?? null,
    memory_limit_bytes: usage?.memoryLimit ?? null,
    cpu_percent: usage?.cpuPercent ?? null,
    pids: usage?.pids ?? null,
  }
}

/** The table. `now` in ms since the epoch. */
export function renderRows(rows: readonly Row[], now: number): string {
  if (rows.length === 0) return 'No session runs.'
  const cells = [
    ['SESSION', 'AGENT', 'SINCE', 'MEMORY', 'CPU', 'PROCESSES', 'PROJECT'],
    ...rows.map((row) => [
      shortId(row.session),
      row.agent === '' ? '?' : row.agent,
      age(now - row.since),
      row.usage === undefined ? '-' : memory(row.usage),
      row.usage === undefined ? '-' : `${row.usage.cpuPercent.toFixed(0)}%`,
      row.usage === undefined ? '-' : String(row.usage.pids),
      row.launcher.alive ? row.project : `${row.project} (its launcher is dead)`,
    ]),
  ]
  return columns(cells, Infinity).trimEnd()
}

const memory = ({ memory: used, memoryLimit }: ContainerUsage): string =>
  `${(used / MIB).toFixed(0)}${memoryLimit === undefined ? '' : `/${(memoryLimit / MIB).toFixed(0)}`} MiB`

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
