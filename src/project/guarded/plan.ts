/** What is covered inside a project's mount: secrets by an empty file, what the host runs read-only. */
import { lstat, mkdir, open, readFile, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Mount } from '../../docker/engine.ts'
import { bind, inside } from '../../docker/mounts.ts'
import { GloveboxError } from '../../errors.ts'
import { isHeld, readIndex } from './git-index.ts'
import type { Patterns } from './names.ts'
import { scan, type Found, type Scan } from './scan.ts'

/** More of them than an engine takes well. */
const MAX_COVERED = 300
/** How many names a notice gives. */
const NAMED = 5

type Covered = {
  /** Relative to the project. */
  path: string
  how: 'masked' | 'read-only' | 'held'
  /** `device:inode` of what was there. */
  identity: string
  /** How many names it had. */
  links: number
}

export type Plan = {
  covered: Covered[]
  /** Every protected path that was there, covered or not. */
  known: Set<string>
  /** Secrets that were there: masked, or held by git, under each name. */
  secrets: Set<string>
  repositories: string[]
  /** Folders that could not be listed. */
  unreadable: Set<string>
  mounts: Mount[]
  /** Paths as the container sees them, with the identity that must be found there. */
  told: { path: string; identity: string }[]
  notices: string[]
  took: number
}

type Folder = { cwd: string; realCwd: string }

/** `emptyFile`: made when it is missing. Errors: `config_invalid` when there is too much to cover. */
export async function planCovers(
  project: Folder,
  patterns: Patterns,
  emptyFile: string,
): Promise<Plan> {
  const root = project.realCwd
  const walked = await scan(root, patterns)
  const { masked, tracked } = await secretsOf(root, walked)
  const kept = walked.found.filter(({ kind, type }) => kind === 'protected' && type !== 'other')
  const covered = [
    ...(await cover(root, masked, 'masked')),
    ...(await cover(
      root,
      kept.map(({ path }) => path),
      'read-only',
    )),
    ...(await coverGit(root)),
  ]
  if (covered.length > MAX_COVERED) {
    throw new GloveboxError(
      'config_invalid',
      `${root} holds ${covered.length} secret or protected files; at most ${MAX_COVERED} can be covered.`,
      'Narrow "mask", or add to "unmask" what is no secret.',
    )
  }
  const empty = await emptyIdentity(emptyFile, masked.length > 0)
  const targets = inside(root, project.cwd) ? [root] : [root, project.cwd]
  return {
    covered,
    known: new Set(walked.found.filter(({ kind }) => kind === 'protected').map(({ path }) => path)),
    secrets: new Set([
      ...masked,
      ...tracked,
      ...walked.found.filter(({ kind }) => kind === 'secret').map(({ path }) => path),
    ]),
    repositories: walked.repositories,
    unreadable: new Set(walked.unreadable),
    took: walked.took,
    mounts: targets.flatMap((target) =>
      covered.map((one) => mountOf(one, root, target, emptyFile)),
    ),
    told: covered.map(({ path, how, identity }) => ({
      path: join(root, path),
      identity: how === 'masked' ? empty : identity,
    })),
    notices: noticesOf(masked, tracked, walked.cut),
  }
}

function mountOf({ path, how }: Covered, root: string, target: string, empty: string): Mount {
  const source = how === 'masked' ? empty : join(root, path)
  return bind(source, join(target, path), how !== 'held')
}

type Secrets = { masked: string[]; tracked: string[] }

/** Masked are also the other names of a file, by link or by hard link. */
async function secretsOf(root: string, { found }: Scan): Promise<Secrets> {
  const secrets = found.filter(({ kind }) => kind === 'secret')
  if (secrets.length === 0) return { masked: [], tracked: [] }
  const index = (await readIndex(root)) ?? new Map<string, string>()
  const tracked = new Set<string>()
  const masked = new Set<string>()
  const linked = new Set<string>()
  for (const secret of secrets) {
    // oxlint-disable-next-line no-await-in-loop -- a handful
    const path = await realFile(root, secret)
    if (path === undefined) continue
    // oxlint-disable-next-line no-await-in-loop -- a handful
    const held = await isHeld(root, path, index)
    ;(held ? tracked : masked).add(path)
    // oxlint-disable-next-line no-await-in-loop -- a handful
    const { dev, ino, nlink } = await lstat(join(root, path), { bigint: true })
    if (!held && nlink > 1n) linked.add(`${dev}:${ino}`)
  }
  if (linked.size > 0) for (const path of await namesOf(root, linked)) masked.add(path)
  return { masked: [...masked].toSorted(), tracked: [...tracked].toSorted() }
}

/** A link is followed as long as it stays in the project: elsewhere nothing is mounted. */
async function realFile(root: string, { path, type }: Found): Promise<string | undefined> {
  if (type === 'file') return path
  const real = await realpath(join(root, path)).catch(() => undefined)
  if (real === undefined || real === root || !inside(root, real)) return undefined
  return (await lstat(real)).isFile() ? real.slice(root.length + 1) : undefined
}

async function namesOf(root: string, identities: Set<string>): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const names = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    // oxlint-disable-next-line no-await-in-loop -- only where a secret has a second name
    const { identity } = await factsOf(path)
    if (identity !== undefined && identities.has(identity)) names.push(path.slice(root.length + 1))
  }
  return names
}

async function cover(root: string, paths: string[], how: Covered['how']): Promise<Covered[]> {
  const found = await Promise.all(
    paths.map(async (path) => ({ path, how, ...(await factsOf(join(root, path))) })),
  )
  return found.flatMap(({ identity, links, ...one }) =>
    identity === undefined || links === undefined ? [] : [{ ...one, identity, links }],
  )
}

/** The repository's folder is held in its place, and its hooks cannot be written. */
async function coverGit(root: string): Promise<Covered[]> {
  const folders = ['.git', '.git/hooks']
  const real = await Promise.all(folders.map((path) => isFolder(join(root, path))))
  return [
    ...(real[0] === true ? await cover(root, ['.git'], 'held') : []),
    ...(real[0] === true && real[1] === true ? await cover(root, ['.git/hooks'], 'read-only') : []),
  ]
}

const isFolder = async (path: string): Promise<boolean> =>
  await lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

type Facts = { identity?: string; links?: number }

/** `identity` is `device:inode`; nothing when nothing is there. Follows no link. */
export async function factsOf(path: string): Promise<Facts> {
  try {
    const { dev, ino, nlink } = await lstat(path, { bigint: true })
    return { identity: `${dev}:${ino}`, links: Number(nlink) }
  } catch {
    return {}
  }
}

async function emptyIdentity(path: string, needed: boolean): Promise<string> {
  if (!needed) return ''
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await using file = await open(path, 'a', 0o444)
  const { size } = await file.stat()
  if (size > 0 || (await readFile(path)).length > 0) {
    throw new GloveboxError(
      'config_invalid',
      `${path} covers secrets and is not empty.`,
      'Remove it.',
    )
  }
  return (await factsOf(path)).identity ?? ''
}

function noticesOf(masked: string[], tracked: string[], cut: boolean): string[] {
  return [
    ...(masked.length === 0 ? [] : [`these files read as empty for the agent: ${some(masked)}.`]),
    ...(tracked.length === 0
      ? []
      : [
          `these look like secrets, and git tracks them, so the agent can read them: ${some(tracked)}.`,
        ]),
    ...(cut ? ['the project is too large to be searched for secrets to the end.'] : []),
  ]
}

function some(paths: string[]): string {
  const rest = paths.length - NAMED
  return paths.slice(0, NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
