/** What an engine tells of a container that it made exactly as asked; seen on real engines. */
import type { ContainerBody, ContainerInspect, EngineInfo } from '../../../src/docker/engine.ts'

export function inspectOf(asked: ContainerBody, info: EngineInfo): ContainerInspect {
  const { HostConfig: host } = asked
  const podman = info.kind === 'podman'
  return {
    Id: 'c'.repeat(64),
    Name: '/sharp_neumann',
    Image: asked.Image,
    State: { Status: 'created', Running: false, ExitCode: 0, OOMKilled: false, Pid: 0 },
    Config: {
      Hostname: asked.Hostname,
      User: asked.User,
      Tty: false,
      OpenStdin: asked.OpenStdin,
      StdinOnce: podman ? false : asked.StdinOnce,
      WorkingDir: asked.WorkingDir,
      Cmd: asked.Cmd,
      Labels: { ...asked.Labels, 'org.opencontainers.image.title': 'of the image' },
      Env: [...asked.Env, 'NODE_VERSION=24.0.0', ...(podman ? PODMAN_ENV : [])],
    },
    HostConfig: {
      ...structuredClone(host),
      UsernsMode: host.UsernsMode ?? '',
      ...(podman ? podmanHost(asked, info) : {}),
    },
    Mounts: [...mountsOf(asked), ...sharedOf(asked)],
    NetworkSettings: {
      Networks:
        host.NetworkMode === 'none' && podman
          ? {}
          : { [host.NetworkMode]: { IPAddress: '', Gateway: '' } },
    },
  }
}

const PODMAN_ENV = ['container=podman', 'TERM=xterm', 'HOSTNAME=glovebox']
const PODMAN_DROPPED = [
  ...'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD'.split(' '),
  ...'NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(' '),
]

function podmanHost({ HostConfig: host }: ContainerBody, info: EngineInfo) {
  const tmpfs = Object.entries(host.Tmpfs).map(
    ([path, options]) => [path, `${options},rprivate,tmpcopyup`] as const,
  )
  return {
    NetworkMode: host.NetworkMode === 'none' ? 'none' : 'bridge',
    Binds: ['/told/here:/as/well:rprivate'],
    CapDrop: PODMAN_DROPPED,
    IpcMode: 'shareable',
    PidMode: 'private',
    UTSMode: 'private',
    UsernsMode: host.UsernsMode === 'keep-id' ? 'private' : '',
    Tmpfs: Object.fromEntries(tmpfs),
    Runtime: 'oci',
    CpuPeriod: 100_000,
    CpuQuota: host.NanoCpus / 10_000,
    NanoCpus: 0,
    Ulimits: host.Ulimits.map((one) => ({ ...one, Name: `RLIMIT_${one.Name.toUpperCase()}` })),
    ...(info.rootless && info.cgroupVersion === '1' ? UNENFORCED : {}),
  }
}

/** Rootless Podman on cgroup v1 takes limits, enforces none and tells zeros. */
const UNENFORCED = {
  PidsLimit: 0,
  Memory: 0,
  MemorySwap: 0,
  CpuPeriod: 0,
  CpuQuota: 0,
  Ulimits: [],
}

const VOLUME = { Type: 'volume', Name: 'f00', Source: '/var/lib/engine/volumes/f00/_data' }

function mountsOf({ HostConfig: host }: ContainerBody): ContainerInspect['Mounts'] {
  return host.Mounts.map((one) => ({
    ...(one.Type === 'bind'
      ? { Type: 'bind', Source: one.Source ?? '' }
      : { ...VOLUME, Name: one.Source ?? VOLUME.Name }),
    Destination: one.Target,
    RW: !one.ReadOnly,
  }))
}

function sharedOf({ HostConfig: host }: ContainerBody): ContainerInspect['Mounts'] {
  return host.VolumesFrom === undefined
    ? []
    : [{ ...VOLUME, Destination: '/run/glovebox', RW: false }]
}
