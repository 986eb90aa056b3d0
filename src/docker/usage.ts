/** What a container uses, from the engine's statistics. */
import type Dockerode from 'dockerode'
import { z } from 'zod'

import { BOUND, engineCall, unlessStatus } from './call.ts'
import type { ContainerUsage } from './engine.ts'

const Cpu = z.looseObject({
  cpu_usage: z.looseObject({ total_usage: z.number() }),
  system_cpu_usage: z.number().nullish(),
  online_cpus: z.number().nullish(),
})

const StatsAnswer = z.looseObject({
  read: z.string(),
  preread: z.string().nullish(),
  cpu_stats: Cpu,
  precpu_stats: Cpu.nullish(),
  memory_stats: z.looseObject({
    usage: z.number().nullish(),
    limit: z.number().nullish(),
    stats: z.record(z.string(), z.unknown()).nullish(),
  }),
  pids_stats: z.looseObject({ current: z.number().nullish() }).nullish(),
})

/** An engine without a limit tells the machine's memory, or a number beyond every machine. */
const NO_LIMIT = 2 ** 53

/** Measured by the engine over about a second. Throws `engine_failed`. */
export async function containerUsage(
  container: Dockerode.Container,
): Promise<ContainerUsage | undefined> {
  return await engineCall('read the container’s statistics', BOUND.stats, async (abortSignal) => {
    // Named apart: dockerode's types do not know the signal here.
    const options = { stream: false as const, abortSignal }
    const answer: unknown = await unlessStatus([404, 409], container.stats(options))
    return usageIn(answer)
  })
}

/** Of an engine's answer; `undefined` when it is none. Pure. */
export function usageIn(answer: unknown): ContainerUsage | undefined {
  const parsed = StatsAnswer.safeParse(answer)
  return parsed.success ? usageOf(parsed.data) : undefined
}

/** Of the statistics' answer, checked. Times are in ns, as the engine has them. */
function usageOf(stats: z.infer<typeof StatsAnswer>): ContainerUsage {
  const { usage, limit, stats: parts } = stats.memory_stats
  // The older and the newer cgroup's name for the cache that can be dropped.
  const cache = Number(parts?.['total_inactive_file'] ?? parts?.['inactive_file'] ?? 0)
  return {
    memory: Math.max(0, (usage ?? 0) - cache),
    ...(limit === undefined || limit === null || limit >= NO_LIMIT ? {} : { memoryLimit: limit }),
    cpuPercent: cpuPercent(stats),
    pids: stats.pids_stats?.current ?? 0,
  }
}

function cpuPercent({ cpu_stats: now, precpu_stats: before, read, preread }: Stats): number {
  const used = now.cpu_usage.total_usage - (before?.cpu_usage.total_usage ?? 0)
  const elapsed = (Date.parse(read) - Date.parse(preread ?? '')) * 1e6
  if (before === undefined || before === null || !(elapsed > 0) || used < 0) return 0
  return Math.round((used / elapsed) * 1000) / 10
}

type Stats = z.infer<typeof StatsAnswer>
