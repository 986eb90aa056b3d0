/** What a container may use, with the defaults, and the hard limits none may be above. */
import { readFileSync } from 'node:fs'

export type Limits = {
  /** Bytes; swap is not given on top. */
  memory: number
  /** Cut to the engine's CPUs. */
  cpus: number
  /** Processes and threads. */
  pids: number
  /** Open files a process. */
  nofile: number
  /** Bytes of each tmpfs. They count as memory. */
  tmp: number
  home: number
}

const MIB = 1024 * 1024
const GIB = 1024 * MIB

export const AGENT_LIMITS: Limits = {
  memory: 4 * GIB,
  cpus: 4,
  pids: 1024,
  nofile: 65_536,
  tmp: GIB,
  home: GIB,
}

export const PROXY_LIMITS: Limits = {
  memory: 256 * MIB,
  cpus: 1,
  pids: 128,
  nofile: 4096,
  tmp: 16 * MIB,
  home: 16 * MIB,
}

/** Hard limits of a process; absent when unlimited or unknown. */
export type HardLimits = { nofile?: number; nproc?: number }

/**
 * This process's own hard limits, taken for the engine's too: an engine without CAP_SYS_RESOURCE
 * cannot start a container above them. Empty where there is no /proc.
 */
export function ownHardLimits(path = '/proc/self/limits'): HardLimits {
  try {
    return parseHardLimits(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** proc_pid_limits(5): a table with the columns limit, soft, hard, units. */
export function parseHardLimits(text: string): HardLimits {
  const limits: HardLimits = {}
  const nofile = hardOf(text, 'Max open files')
  const nproc = hardOf(text, 'Max processes')
  if (nofile !== undefined) limits.nofile = nofile
  if (nproc !== undefined) limits.nproc = nproc
  return limits
}

function hardOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(name))
  const hard = line?.slice(name.length).trim().split(/\s+/)[1]
  return hard !== undefined && /^\d+$/.test(hard) ? Number(hard) : undefined
}
