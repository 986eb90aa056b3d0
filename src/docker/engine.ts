/** The engine port: everything Glovebox needs of Docker or Podman, in our own plain types. */
import type { Readable, Writable } from 'node:stream'

export type EngineInfo = {
  kind: 'docker' | 'podman'
  rootless: boolean
  version: string
  apiVersion: string
  /** Such as `unix:///var/run/docker.sock`. */
  uri: string
  arch: 'amd64' | 'arm64'
  /** The runtimes the engine lists, such as `runc`, `runsc`. */
  runtimes: string[]
  /** The engine's own warnings, such as `WARNING: No swap limit support`. */
  warnings: string[]
  /** CPUs of the engine's machine. */
  cpus?: number
  /** False when the engine starts containers without a seccomp filter. */
  seccomp?: boolean
  /** A rootful Docker that maps container uids to other host uids (`userns-remap`). */
  usernsRemap?: boolean
  cgroupVersion?: '1' | '2'
  /** Who owns the socket: for a rootless engine, the user whose rights containers get. */
  owner?: { uid: number; gid: number }
}

/** The body of `POST /containers/create`, in the engine's own field names (API 1.41). */
export type ContainerBody = {
  Image: string
  Cmd?: string[]
  Entrypoint?: string[]
  User: string
  Env: string[]
  WorkingDir?: string
  Labels: Record<string, string>
  Hostname?: string
  OpenStdin: boolean
  StdinOnce: boolean
  AttachStdin: boolean
  AttachStdout: boolean
  AttachStderr: boolean
  Tty: false
  NetworkDisabled?: boolean
  StopSignal?: string
  HostConfig: HostConfig
}

export type Mount = {
  Type: 'bind' | 'volume'
  Source?: string
  Target: string
  ReadOnly: boolean
  BindOptions?: { Propagation: 'rprivate' }
  VolumeOptions?: { Labels: Record<string, string> }
}

export type HostConfig = {
  NetworkMode: string
  Mounts: Mount[]
  VolumesFrom?: string[]
  ReadonlyRootfs: boolean
  Tmpfs: Record<string, string>
  CapDrop: string[]
  CapAdd: string[]
  SecurityOpt: string[]
  Privileged: false
  IpcMode: string
  PidsLimit: number
  Memory: number
  MemorySwap: number
  NanoCpus: number
  Ulimits: { Name: string; Soft: number; Hard: number }[]
  LogConfig: { Type: string; Config: Record<string, string> }
  AutoRemove: boolean
  RestartPolicy: { Name: 'no' }
  Init: false
  Dns?: string[]
  UsernsMode?: string
  Runtime?: string
  OomScoreAdj?: number
}

/** The engine's own words on a container; unknown fields are kept for comparison. */
export type ContainerInspect = {
  Id: string
  Name: string
  Image: string
  State: { Status: string; Running: boolean; ExitCode: number; OOMKilled: boolean; Pid: number }
  Config: Record<string, unknown> & { Labels: Record<string, string>; Env: string[] }
  HostConfig: Record<string, unknown>
  Mounts: { Type: string; Source: string; Destination: string; RW: boolean; Name?: string }[]
  NetworkSettings: { Networks: Record<string, { IPAddress: string; Gateway: string }> }
}

export type ImageFacts = {
  /** `sha256:…` */
  id: string
  tags: string[]
  /** `name@sha256:…` for images that came from or went to a registry. */
  digests: string[]
  labels: Record<string, string>
  /** `NAME=value` of its own environment. */
  env?: string[]
  /** Folders for which an engine makes a volume by itself. */
  volumes?: string[]
  arch: string
  /** Bytes. */
  size: number
}

type ContainerSummary = {
  id: string
  /** `created`, `running`, `exited`, … */
  state: string
  labels: Record<string, string>
  /** Seconds since the epoch. */
  created: number
}

type VolumeSummary = {
  name: string
  labels: Record<string, string>
  /** Milliseconds since the epoch; undefined when the engine does not say. */
  created?: number
}

/** What a running container uses now. */
export type ContainerUsage = {
  /** Bytes, without the page cache that can be given back. */
  memory: number
  /** Bytes; undefined without a limit. */
  memoryLimit?: number
  /** Of one CPU: 150 is one and a half. */
  cpuPercent: number
  /** Processes and threads. */
  pids: number
}

/** How a container ended. */
export type ContainerEnd = {
  exitCode: number
  /** The engine told of a kill at the memory limit; Podman tells of none. */
  outOfMemory: boolean
}

/** A container that exists and was never started. */
export type CreatedContainer = {
  readonly id: string
  /** What the engine warned of at creation. */
  readonly warnings: string[]
  inspect(): Promise<ContainerInspect>
  /** Attach before start, or the first bytes are lost. */
  attach(): Promise<AttachedStreams>
  start(): Promise<StartedContainer>
  /** Removes it and its anonymous volumes; no error when it is gone. */
  remove(): Promise<void>
}

export type StartedContainer = {
  readonly id: string
  inspect(): Promise<ContainerInspect>
  /** Resolves when the container ended; `undefined` when the engine can no longer say how. */
  wait(): Promise<ContainerEnd | undefined>
  kill(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Measured over about a second; `undefined` when it does not run. */
  usage(): Promise<ContainerUsage | undefined>
  /** Freezes every process in it; no error when it is frozen already. */
  pause(): Promise<void>
  unpause(): Promise<void>
  /** Runs a command as the container's user; output is capped at 1 MiB a stream. */
  exec(command: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>
  /** SIGKILL and remove, with its anonymous volumes; no error when it is gone. */
  remove(): Promise<void>
}

export type AttachedStreams = {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves (never rejects) when the engine closed the stream, with the error if there was one. */
  readonly closed: Promise<Error | undefined>
  /** Drops the connection; with StdinOnce the container then sees end of input. */
  destroy(): void
}

export type BuildOptions = {
  tag: string
  target: string
  buildArgs: Record<string, string>
  labels: Record<string, string>
  /** One line of the engine's build output at a time. */
  onLine: (line: string) => void
}

export type Engine = {
  readonly info: EngineInfo
  image(reference: string): Promise<ImageFacts | undefined>
  /** Builds from a folder; `files` are paths inside it. Returns the image id. */
  build(folder: string, files: string[], options: BuildOptions): Promise<string>
  /** Makes an image of one layer from a root file system archive. Returns the image id. */
  importRootfs(archive: Readable, tag: string, changes: string[]): Promise<string>
  /** Loads a `docker save` archive. */
  load(archive: Readable): Promise<void>
  pull(reference: string, onLine: (line: string) => void): Promise<void>
  tag(id: string, tag: string): Promise<void>
  create(body: ContainerBody, networks?: string[]): Promise<CreatedContainer>
  /** Containers that carry this label (`key` or `key=value`), in every state. */
  list(label: string): Promise<ContainerSummary[]>
  /** A container found by `list`. */
  container(id: string): StartedContainer
  /** Volumes that carry this label; without one, all. */
  volumes(label?: string): Promise<VolumeSummary[]>
  /** No error when it is gone; false when still in use. */
  removeVolume(name: string): Promise<boolean>
  /** Names of the networks that carry this label. */
  networks(label: string): Promise<string[]>
  /** No error when it is gone; false when still in use. */
  removeNetwork(name: string): Promise<boolean>
  /**
   * Makes the network when it is missing; refuses one of that name that is not as asked. Its
   * containers cannot reach each other, unless `reachable` says so.
   */
  ensureNetwork(
    name: string,
    labels: Record<string, string>,
    options?: { reachable: boolean },
  ): Promise<void>
}
