import type { Limits } from '../docker/limits.ts'
import type { Policy } from '../policy/merge.ts'

const MIB = 1024 * 1024

/** The policy's limits, which are in MiB, in the units of the containers. */
export function containerLimits(limits: Policy['limits']): Limits {
  return {
    memory: limits.memory_mb * MIB,
    cpus: limits.cpus,
    pids: limits.pids,
    nofile: limits.nofile,
    tmp: limits.tmp_mb * MIB,
    home: limits.home_mb * MIB,
  }
}
