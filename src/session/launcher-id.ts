/** Who owns a container: a launcher process, named so that a recycled pid is not taken for it. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** `<boot id>/<pid namespace>/<pid>/<start time>`. */
export function launcherId(pid: number = process.pid): string {
  return [bootId(), pidNamespace(), String(pid), startTime(pid) ?? '0'].join('/')
}

/**
 * Whether the launcher of this id still runs. A launcher in another pid namespace of this boot
 * (a dev container) cannot be judged from here and counts as alive.
 */
export function launcherAlive(id: string): boolean {
  const [boot, namespace, pid, start] = id.split('/')
  if (boot === undefined || namespace === undefined || pid === undefined) return false
  if (boot !== bootId()) return !onThisHost(boot)
  if (namespace !== pidNamespace()) return true
  const now = startTime(Number(pid))
  return now !== undefined && (start === '0' || now === start)
}

/** Where there is no boot id (macOS), the host's name takes its place. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return `host:${hostname()}`
  }
}

/** Another boot id means: this host before a restart, or another host that uses this engine. */
function onThisHost(boot: string): boolean {
  return !boot.startsWith('host:')
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
  } catch {
    return '0'
  }
}

/** Clock ticks since boot, field 22 of /proc/PID/stat (proc(5)); `'0'` where there is no /proc. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return withoutProc(pid)
  }
}

function withoutProc(pid: number): string | undefined {
  if (!bootId().startsWith('host:')) return undefined
  try {
    process.kill(pid, 0)
    return '0'
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? '0' : undefined
  }
}
