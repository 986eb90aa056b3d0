/** What any sealed container must answer to the probe. */
import { foreignMounts } from './mounts.ts'

export type Expectations = {
  /** Inside and outside. */
  project: string
  uid: number | undefined
  /** Of the host. */
  hostName: string
  hostPaths: string[]
  limits: { memory: number; pids: number } | undefined
}

type Rule = {
  id: string
  guarantee: string
  expected: string
  holds: (found: string) => boolean
  /** A tool that an image may lack, and that says nothing when it is not there. */
  optional?: boolean
}

const rulesOf =
  (guarantee: string) =>
  (id: string, expected: string, holds: Rule['holds']): Rule => ({ id, guarantee, expected, holds })

const words = (found: string): string[] => found.split(' ').filter((word) => word !== '')

const NOTHING = (found: string): boolean => found === ''
const REFUSED = (found: string): boolean => found === 'refused'
const CLOSED = (found: string): boolean => found === 'closed'
const ABSENT = (found: string): boolean => found === 'absent'
const ZERO = (found: string): boolean => /^0+( 0+)*$/.test(found)
const has =
  (...options: string[]) =>
  (found: string): boolean =>
    options.every((option) =>
      found.split(',').some((one) => one === option || one.startsWith(option)),
    )

const is =
  (...values: string[]) =>
  (found: string): boolean =>
    values.includes(found)

/** Every rule that holds for any container; pure. */
export function rulesFor(wanted: Expectations): Rule[] {
  return [
    ...networkRules(),
    ...rightsRules(wanted),
    ...fileRules(wanted),
    ...kernelRules(),
    ...hostRules(wanted),
    ...limitRules(wanted),
  ]
}

function networkRules(): Rule[] {
  const rule = rulesOf('G-NET')
  return [
    rule('net.interfaces', 'lo', is('lo')),
    rule('net.routes', 'none', NOTHING),
    rule('net.routes6', 'none', NOTHING),
    rule('net.resolvers', 'none, or 127.0.0.1', is('', '127.0.0.1')),
    rule('net.addresses', '127.0.0.1', (found) =>
      words(found).every((one) => one.startsWith('127.')),
    ),
    rule('net.abstract', 'no socket of the host', NOTHING),
  ]
}

function rightsRules({ uid }: Expectations): Rule[] {
  const rule = rulesOf('G-MOUNT')
  const caps = ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((name) =>
    rule(`caps.Cap${name}`, 'none', ZERO),
  )
  return [
    ...caps,
    rule('caps.all', 'none in any process', ZERO),
    rule('caps.bounding', 'none in any process', ZERO),
    rule('nnp.self', '1', is('1')),
    rule('nnp.all', '1 in every process', is('1')),
    rule('seccomp.self', '2', is('2')),
    rule('seccomp.all', '2 in every process', is('2')),
    rule('user.uid', uid === undefined ? 'not 0' : String(uid), (found) =>
      uid === undefined ? /^[1-9]\d*$/.test(found) : found === String(uid),
    ),
    rule('user.gid', 'not 0', (found) => /^[1-9]\d*$/.test(found) || uid === 0),
    rule(
      'user.groups',
      'not 0',
      (found) => found !== '' && (!found.split(' ').includes('0') || uid === 0),
    ),
    rule('user.all', 'one user', (found) => /^\d+$/.test(found) && (found !== '0' || uid === 0)),
    rule('pid.environ', 'closed', CLOSED),
    rule('pid.memory', 'closed', CLOSED),
    rule('pid.trace-exe', 'refused', REFUSED),
    rule(
      'pid.one',
      'the container’s own',
      (found) => found !== '' && !['systemd', 'launchd', 'sh', 'bash'].includes(found),
    ),
    rule('pid.count', 'fewer than 50', (found) => Number(found) > 0 && Number(found) < 50),
    { ...rule('userns', 'refused', REFUSED), optional: true },
    { ...rule('mountns', 'refused', REFUSED), optional: true },
  ]
}

const SYSTEM = ['bin', 'etc', 'lib', 'opt', 'root', 'sbin', 'usr', 'var', 'usr/bin', 'etc/ssl']

function fileRules({ project }: Expectations): Rule[] {
  const rule = rulesOf('G-MOUNT')
  return [
    rule('write.root', 'refused', REFUSED),
    ...SYSTEM.map((name) => ({ ...rule(`write.${name}`, 'refused', REFUSED), optional: true })),
    rule('write.project', 'written', is('written')),
    rule('write.tmp', 'written', is('written')),
    rule('option.root', 'ro', has('ro')),
    rule('option.tmp', 'nosuid,nodev,size', has('nosuid', 'nodev', 'size=')),
    rule('option.home', 'nosuid,nodev,size', has('nosuid', 'nodev', 'size=')),
    rule('option.shm', 'nosuid,nodev,noexec', has('nosuid', 'nodev', 'noexec')),
    rule('mounts', project, (found) => foreignMounts(words(found), project).join(' ') === project),
  ]
}

function kernelRules(): Rule[] {
  const rule = rulesOf('G-MOUNT')
  const masked = ['kcore', 'keys', 'timer_list', 'latency_stats', 'sched_debug']
  const devices = ['mem', 'kmsg', 'fuse', 'kvm', 'port', 'net/tun']
  return [
    ...['proc-sys', 'sysrq', 'irq', 'bus', 'sys', 'cgroup'].map((name) => ({
      ...rule(`option.${name}`, 'ro', has('ro')),
      optional: true,
    })),
    ...masked.map((name) => rule(`masked.${name}`, 'closed', CLOSED)),
    rule('masked.firmware', 'empty', NOTHING),
    rule('masked.scsi', 'empty', NOTHING),
    rule('masked.acpi', 'empty', NOTHING),
    rule('device.block', 'none', NOTHING),
    ...devices.map((name) => rule(`device.${name}`, 'absent', ABSENT)),
    rule('ipc.shm', '0', is('0')),
    rule('ipc.msg', '0', is('0')),
  ]
}

function hostRules({ hostName, hostPaths }: Expectations): Rule[] {
  const rule = rulesOf('G-MOUNT')
  return [
    rule('socket.engine', 'none', NOTHING),
    ...hostPaths.map((_, index) => rule(`host.${index}`, 'absent', ABSENT)),
    rule('host.name', `not ${hostName}`, (found) => found !== '' && found !== hostName),
    rulesOf('G-KEY')('key.environment', '0', is('0')),
  ]
}

function limitRules({ limits }: Expectations): Rule[] {
  const rule = rulesOf('G-REAP')
  return [
    rule(
      'limit.memory',
      limits === undefined ? 'a limit' : `at most ${limits.memory}`,
      limited(limits?.memory),
    ),
    rule(
      'limit.pids',
      limits === undefined ? 'a limit' : `at most ${limits.pids}`,
      limited(limits?.pids),
    ),
    rule('limit.cpu', 'a limit', (found) => /^[1-9]\d*( \d+)?$/.test(found)),
    rule(
      'limit.nofile',
      'at most 1048576',
      (found) => /^\d+$/.test(found) && Number(found) <= 1_048_576,
    ),
    rule('limit.core', '0', is('0')),
  ]
}

const limited =
  (most: number | undefined) =>
  (found: string): boolean =>
    /^\d+$/.test(found) && Number(found) <= (most ?? 2 ** 50)
