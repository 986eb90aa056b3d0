/** The containers Glovebox asks an engine for: pure functions, each result comparable as one JSON. */
import { type ContainerUser, proxyUser } from './container-user.ts'
import { differencesOf } from './differences.ts'
import type { ContainerBody, EngineInfo, HostConfig, Mount } from './engine.ts'
import { AGENT_LIMITS, type HardLimits, type Limits, PROXY_LIMITS } from './limits.ts'

/** Where the proxy's volume is in both containers. */
const SHARED_FOLDER = '/run/glovebox'
export const HOME_FOLDER = '/home/agent'
export const EGRESS_NETWORK = 'glovebox-egress'

type Common = {
  engine: EngineInfo
  /** The pinned image's id; a name could be moved between the check and the start. */
  image: string
  labels: Record<string, string>
  /** Of this host; `ownHardLimits()`. */
  hard: HardLimits
  limits?: Partial<Limits>
  /** Such as `runsc`; the engine's default when absent. */
  runtime?: string
}

export type AgentInput = Common & {
  user: ContainerUser
  env: Record<string, string>
  /** The agent's command, after the image's entry point; the image's own when absent. */
  command?: string[]
  cwd: string
  mounts: Mount[]
  /** The id of the proxy's container, whose volume holds the one way out. */
  proxy: string
}

/** No network, one project, one read-only way to the proxy. */
export function agentContainer(input: AgentInput): ContainerBody {
  const limits = { ...AGENT_LIMITS, ...input.limits }
  const host = hardened(input, input.user, limits)
  return {
    ...body(input, input.user, 'glovebox'),
    ...(input.command === undefined ? {} : { Cmd: input.command }),
    Env: envList(input.env),
    WorkingDir: input.cwd,
    HostConfig: {
      ...host,
      NetworkMode: 'none',
      Mounts: input.mounts,
      VolumesFrom: [`${input.proxy}:ro`],
      Tmpfs: { ...host.Tmpfs, [HOME_FOLDER]: tmpfs(limits.home) },
      // Docker writes it to /etc/resolv.conf, in place of the host's name servers.
      ...(differencesOf(input.engine).dnsWithoutNetwork ? { Dns: ['127.0.0.1'] } : {}),
    },
  }
}

export type ProxyInput = Common & { network?: string; env?: Record<string, string> }

/** The border: a network, no project, and an anonymous volume for its socket. */
export function proxyContainer(input: ProxyInput): ContainerBody {
  return {
    ...service(input, 'glovebox-proxy'),
    HostConfig: {
      ...hardened(input, proxyUser(), { ...PROXY_LIMITS, ...input.limits }),
      NetworkMode: input.network ?? EGRESS_NETWORK,
      Mounts: [
        {
          Type: 'volume',
          Target: SHARED_FOLDER,
          ReadOnly: false,
          VolumeOptions: { Labels: input.labels },
        },
      ],
    },
  }
}

/** The demo's model: a server on one network, with nothing of the host. */
export function modelContainer(input: ProxyInput & { network: string }): ContainerBody {
  return {
    ...service(input, 'glovebox-model'),
    HostConfig: {
      ...hardened(input, proxyUser(), { ...PROXY_LIMITS, ...input.limits }),
      NetworkMode: input.network,
    },
  }
}

function service(input: ProxyInput, hostname: string): Omit<ContainerBody, 'HostConfig'> {
  return { ...body(input, proxyUser(), hostname), Env: envList(input.env ?? {}) }
}

/** A container whose life hangs on its input: it ends when the launcher's connection does. */
function body(
  input: Common,
  user: ContainerUser,
  hostname: string,
): Omit<ContainerBody, 'HostConfig' | 'Env'> {
  return {
    Image: input.image,
    User: `${user.uid}:${user.gid}`,
    Labels: input.labels,
    Hostname: hostname,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
  }
}

function hardened(input: Common, user: ContainerUser, limits: Limits): HostConfig {
  const { addedTmpfs } = differencesOf(input.engine)
  return {
    NetworkMode: 'none',
    Mounts: [],
    ReadonlyRootfs: true,
    Tmpfs: {
      '/tmp': tmpfs(limits.tmp),
      ...Object.fromEntries(addedTmpfs.map((path) => [path, CLOSED_TMPFS])),
    },
    CapDrop: ['ALL'],
    CapAdd: [],
    // Naming no seccomp profile keeps the engine's default one on.
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
    IpcMode: 'private',
    PidsLimit: limits.pids,
    Memory: limits.memory,
    MemorySwap: limits.memory,
    NanoCpus: Math.round(Math.min(limits.cpus, input.engine.cpus ?? limits.cpus) * 1e9),
    Ulimits: ulimits(limits, input.hard),
    // The default driver would keep every prompt on disk.
    LogConfig: { Type: 'none', Config: {} },
    AutoRemove: true,
    RestartPolicy: { Name: 'no' },
    Init: false,
    ...(user.usernsMode === undefined ? {} : { UsernsMode: user.usernsMode }),
    ...(input.runtime === undefined ? {} : { Runtime: input.runtime }),
  }
}

/** Mode 1777 because runc keeps the mode of the image's folder, which is that on all engines. */
const tmpfs = (bytes: number): string => `rw,exec,nosuid,nodev,size=${bytes},mode=1777`

/** Where an engine insists on a tmpfs: root's, and large enough for the image's files there. */
const CLOSED_TMPFS = 'rw,noexec,nosuid,nodev,size=1048576,mode=0755'

/** What every engine seen may give; Podman's service often has a lower limit than a log-in shell. */
const NPROC = 32_768

/**
 * `nproc` counts the user's threads on the whole host, so it is only made explicit; `PidsLimit` is
 * the limit.
 */
function ulimits(limits: Limits, hard: HardLimits): HostConfig['Ulimits'] {
  const nofile = Math.min(limits.nofile, hard.nofile ?? limits.nofile)
  return [
    { Name: 'nofile', Soft: nofile, Hard: nofile },
    ...(hard.nproc === undefined ? [] : [nprocLimit(hard.nproc)]),
    { Name: 'core', Soft: 0, Hard: 0 },
  ]
}

function nprocLimit(hard: number): HostConfig['Ulimits'][number] {
  const nproc = Math.min(hard, NPROC)
  return { Name: 'nproc', Soft: nproc, Hard: nproc }
}

function envList(env: Record<string, string>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`)
}
