/** A container with an open input and no network, as small as the engine port's type lets it be. */
import type { ContainerBody } from '../../../src/docker/engine.ts'

export type Bare = {
  image: string
  /** `uid:gid` */
  user: string
  labels: Record<string, string>
  /** Bytes. */
  memory: number
  pids: number
  cpus: number
}

export function bareContainer({ image, user, labels, memory, pids, cpus }: Bare): ContainerBody {
  return {
    Image: image,
    User: user,
    Env: [],
    Labels: labels,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    HostConfig: {
      NetworkMode: 'none',
      Mounts: [],
      ReadonlyRootfs: true,
      Tmpfs: {},
      CapDrop: ['ALL'],
      CapAdd: [],
      SecurityOpt: [],
      Privileged: false,
      IpcMode: 'private',
      PidsLimit: pids,
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: cpus * 1e9,
      Ulimits: [],
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: true,
      RestartPolicy: { Name: 'no' },
      Init: false,
    },
  }
}
