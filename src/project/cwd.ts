/** Which folder may be an agent's project. */
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, normalize } from 'node:path'

import { inside } from '../docker/mounts.ts'
import { GloveboxError } from '../errors.ts'

export type CwdFacts = {
  /** The caller's home directory; `os.homedir()` when absent. */
  home?: string
  /**
   * Paths that must not lie inside the project, since the agent would gain the host with them:
   * the engine's socket, Glovebox's own state and configuration.
   */
  keptOut?: string[]
}

export type ProjectFolder = {
  /** As the editor named it, normalised, without a slash at the end. */
  cwd: string
  /** Without symlinks. */
  realCwd: string
  /** Who owns the folder. */
  uid: number
  gid: number
  /** `device:inode`, by which another folder in its place is noticed. */
  identity: string
}

/** Throws `cwd_invalid` with a sentence that names the value. Both spellings are judged. */
export async function checkCwd(cwd: string, facts: CwdFacts = {}): Promise<ProjectFolder> {
  if (!isAbsolute(cwd)) throw refusal(cwd, 'is not an absolute path')
  if (cwd.includes('\0')) throw refusal(cwd, 'holds a zero byte')
  const named = withoutSlash(normalize(cwd))
  const { realCwd, ...folder } = await look(cwd, named)
  const home = facts.home ?? homedir()
  const homes = [home, await realpath(home).catch(() => home)]
  for (const path of new Set([named, realCwd])) {
    const why = refusedBecause(path, homes)
    if (why !== undefined) throw refusal(cwd, why)
  }
  const kept = await Promise.all(
    (facts.keptOut ?? []).map((path) => realpath(path).catch(() => path)),
  )
  const exposed = kept.find((path) => inside(realCwd, path))
  if (exposed !== undefined) throw refusal(cwd, `holds ${exposed}, which no agent may reach`)
  return { cwd: named, realCwd, ...folder }
}

async function look(cwd: string, path: string): Promise<Omit<ProjectFolder, 'cwd'>> {
  try {
    const realCwd = await realpath(path)
    const found = await stat(realCwd, { bigint: true })
    if (!found.isDirectory()) throw refusal(cwd, 'is not a folder')
    const identity = `${found.dev}:${found.ino}`
    return { realCwd, uid: Number(found.uid), gid: Number(found.gid), identity }
  } catch (error) {
    if (error instanceof GloveboxError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') throw refusal(cwd, 'does not exist', error)
    if (code === 'ENOTDIR') throw refusal(cwd, 'is not a folder', error)
    if (code === 'EACCES') throw refusal(cwd, 'cannot be read by you', error)
    throw refusal(cwd, 'cannot be opened', error)
  }
}

/** Refused with everything below: the host's own files, devices and sockets. */
const SYSTEM_TREES = ['/etc', '/proc', '/sys', '/dev', '/boot', '/usr', '/bin', '/sbin', '/run']
/** Also `/lib64` and its like. */
const LIBRARIES = /^\/lib(x?\d+|exec)?(\/|$)/
const MAC_TREES = ['/System', '/Library', '/Applications', '/cores']
/** Refused themselves; folders below them may be projects. */
const SHARED_FOLDERS = new Set(
  [
    '/ /home /Users /Volumes /private /tmp /opt /srv /mnt /media /nix /snap /lost+found',
    '/var /var/lib /var/log /var/run /var/cache /var/spool /var/tmp /var/folders /var/home',
  ].flatMap((line) => line.split(' ')),
)
/** Where desktops mount removable disks, below `/run`. */
const REMOVABLE = /^\/run\/media\/[^/]+\/[^/]+/
const HOME = /^(\/root|\/(var\/)?home\/[^/]+|\/Users\/[^/]+|\/var\/root)$/
const HOMES = /^(\/root|\/(var\/)?home\/[^/]+|\/Users\/[^/]+|\/var\/root)(?=\/)/
/** Below a home: no project, and what a planted link would lead to first. */
const SECRETS = [
  '.ssh .gnupg .aws .azure .kube .docker .password-store .mozilla .thunderbird',
  '.config/gcloud .config/gh .config/glovebox .config/google-chrome .config/chromium',
  '.local/share/keyrings .local/state/glovebox Library/Keychains',
].flatMap((line) => line.split(' '))

/** Below a known home, or what looks like anybody's. */
function isSecret(path: string, plain: string, homes: string[]): boolean {
  const [usual] = HOMES.exec(plain) ?? []
  return (
    homes.some((home) => isSecretOf(home, path)) ||
    (usual !== undefined && isSecretOf(usual, plain))
  )
}

function isSecretOf(home: string, path: string): boolean {
  return SECRETS.some((name) => inside(`${home}/${name}`, path))
}

/** The container's own folders: a mount there would hide what the session needs. */
const RESERVED = ['/run/glovebox', '/opt/glovebox', '/home/agent/.glovebox']

/** Why this path may be no project, completing "The working directory … "; pure. */
export function refusedBecause(path: string, homes: string[]): string | undefined {
  // macOS keeps /etc, /tmp and /var below /private.
  const plain = path.replace(/^\/private(?=\/(etc|tmp|var)(\/|$))/, '')
  if (plain === '/') return 'is the root directory'
  if (homes.includes(path) || HOME.test(plain)) return 'is a home directory itself'
  if (homes.some((home) => inside(path, home))) return 'holds a whole home directory'
  if (RESERVED.some((reserved) => inside(reserved, plain))) {
    return 'is a path that the container keeps for itself'
  }
  if (isSecret(path, plain, homes)) return 'is a folder of keys and log-ins'
  if (SHARED_FOLDERS.has(plain)) return 'is a system directory'
  if (REMOVABLE.test(plain)) return undefined
  const system = [...SYSTEM_TREES, ...MAC_TREES].some((tree) => inside(tree, plain))
  return system || LIBRARIES.test(plain) ? 'is in a system directory' : undefined
}

const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path

function refusal(cwd: string, why: string, cause?: unknown): GloveboxError {
  return new GloveboxError(
    'cwd_invalid',
    `The working directory ${JSON.stringify(cwd)} ${why}.`,
    'Open a project folder of its own.',
    { cause },
  )
}
