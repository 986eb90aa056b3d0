/** Where the engines differ in what they take and tell, as data. Tried on Docker 20.10 and Podman 4.3. */
import type { EngineInfo } from './engine.ts'

type EngineVariant = 'docker-rootful' | 'docker-rootless' | 'podman-rootful' | 'podman-rootless'

export type EngineDifferences = {
  /**
   * Which user inside has the project owner's rights outside: the one of the same number, root of
   * the user namespace, or the number of the engine's own user.
   */
  user: 'same' | 'root' | 'engine-owner'
  usernsMode: string | undefined
  /** Takes name servers for a container without a network; Podman refuses the request. */
  dnsWithoutNetwork: boolean
  /** Unlimited tmpfs the engine adds to a read-only root unless one is asked for there. */
  addedTmpfs: string[]
  /** Options of the proxies' network; Podman's bridges cannot keep their containers apart. */
  networkOptions: Record<string, string>
  /** What inspect says in place of what was asked. */
  told: Told
}

type Told = {
  ipcPrivate: string[]
  /** Besides the mode asked for. */
  usernsMode: string[]
  /** Whether `StdinOnce` is told; Podman obeys it and says false. */
  stdinOnce: boolean
  /** Whether binds asked for as mounts are listed as `Binds`. */
  binds: boolean
  /** What `ALL` is spelled out to: at least these must be dropped. */
  capDropAll: string[]
  /** Tmpfs options added to those asked for. */
  tmpfsOptions: string[]
}

/** The capabilities a container has by default on every Podman. */
const PODMAN_CAPABILITIES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]

const DOCKER = {
  usernsMode: undefined,
  dnsWithoutNetwork: true,
  addedTmpfs: [],
  networkOptions: { 'com.docker.network.bridge.enable_icc': 'false' },
  told: {
    ipcPrivate: ['private'],
    usernsMode: [],
    stdinOnce: true,
    binds: false,
    capDropAll: ['ALL'],
    tmpfsOptions: [],
  },
}

const PODMAN = {
  dnsWithoutNetwork: false,
  addedTmpfs: ['/run', '/var/tmp'],
  networkOptions: {},
  told: {
    ipcPrivate: ['private', 'shareable'],
    usernsMode: [],
    stdinOnce: false,
    binds: true,
    capDropAll: PODMAN_CAPABILITIES,
    tmpfsOptions: ['rprivate', 'tmpcopyup'],
  },
}

const DIFFERENCES: Record<EngineVariant, EngineDifferences> = {
  'docker-rootful': { ...DOCKER, user: 'same' },
  'docker-rootless': { ...DOCKER, user: 'root' },
  'podman-rootful': { ...PODMAN, user: 'same', usernsMode: undefined },
  'podman-rootless': {
    ...PODMAN,
    user: 'engine-owner',
    usernsMode: 'keep-id',
    told: { ...PODMAN.told, usernsMode: ['private'] },
  },
}

function engineVariant(info: EngineInfo): EngineVariant {
  return `${info.kind}-${info.rootless ? 'rootless' : 'rootful'}`
}

export const differencesOf = (info: EngineInfo): EngineDifferences =>
  DIFFERENCES[engineVariant(info)]
