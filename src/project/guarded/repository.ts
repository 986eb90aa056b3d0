/** Finds what an agent put into a repository so that the host's next git command runs it. */
import { constants, open, readdir, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

import { isRecord } from '../../acp/frame.ts'
import { dangerousChanges } from './git-config.ts'
import type { Original } from './quarantine.ts'

export type Plant = {
  /** Relative to the project. */
  path: string
  why: string
  /** What to put in its place; it is only taken away when absent. */
  original?: Original
}

/** How a repository was when the session began. */
export type Baseline = {
  /** Git's own folder, or the file that leads to it, relative to the project: `.git`, `sub/.git`. */
  git: string
  /** Settings and hooks by their path relative to the project; what was not there is absent. */
  files: Map<string, Seen>
}

/** A plain file, or the mark by which a link and the like is known again. */
type Seen = { original: Original } | { odd: string }

/** The first is the path itself, where it is a file. */
const TEXTS = ['', 'config', 'config.worktree', 'commondir']
const MAX_TEXT = 1024 * 1024
const MODULES = '.git/modules'
const WORKTREES = '.git/worktrees'
/** More submodules than anybody has. */
const MAX_MODULES = 1_000

export type Modules = {
  /** Repositories of submodules, and git's folders for worktrees, relative to the project. */
  repositories: string[]
  /** Links among them: git itself makes none. */
  links: string[]
}

export async function modulesOf(project: string): Promise<Modules> {
  const found: Modules = { repositories: [], links: [] }
  const folders = [MODULES, WORKTREES]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // oxlint-disable-next-line no-await-in-loop -- a walk
    const entries = await readdir(join(project, folder), { withFileTypes: true }).catch(() => [])
    if (entries.some(({ name }) => name === 'config' || name === 'HEAD')) {
      found.repositories.push(folder)
      continue
    }
    for (const entry of entries) {
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      if (entry.isSymbolicLink()) found.links.push(join(folder, entry.name))
    }
    if (found.repositories.length + folders.length > MAX_MODULES) break
  }
  return found
}

export async function baselineOf(project: string, git: string): Promise<Baseline> {
  const files = new Map<string, Seen>()
  for (const path of [...textsOf(git), ...(await hooksOf(project, git))]) {
    // oxlint-disable-next-line no-await-in-loop -- a handful
    const seen = await lookAt(project, path)
    if (seen !== undefined) files.set(path, seen)
  }
  return { git, files }
}

/** What a repository that was not there would have been. */
export const nothing = (git: string): Baseline => ({ git, files: new Map() })

/** Everything in it that was planted since. */
export async function plantsIn(project: string, before: Baseline): Promise<Plant[]> {
  const { git, files } = before
  const plants: Plant[] = []
  const hooks = await hooksOf(project, git)
  for (const path of [...textsOf(git), ...hooks]) {
    // oxlint-disable-next-line no-await-in-loop -- a handful
    const now = await lookAt(project, path)
    const was = files.get(path)
    if (now === undefined || isSame(was, now)) continue
    const original = was !== undefined && 'original' in was ? was.original : undefined
    const why = hooks.includes(path)
      ? 'git runs it'
      : // oxlint-disable-next-line no-await-in-loop -- a handful
        await judge(project, git, path, original?.text ?? '', now)
    if (why !== undefined) plants.push({ path, why, ...(original && { original }) })
  }
  return plants
}

const textsOf = (git: string): string[] => TEXTS.map((name) => join(git, name))

function isSame(was: Seen | undefined, now: Seen): boolean {
  if (was === undefined) return false
  if ('odd' in was) return 'odd' in now && now.odd === was.odd
  return 'original' in now && now.original.text === was.original.text
}

async function judge(
  project: string,
  git: string,
  path: string,
  before: string,
  now: Seen,
): Promise<string | undefined> {
  if ('odd' in now) return 'git would read what is no plain file'
  const { text } = now.original
  if (path === git) {
    const home = await leadsHome(project, git, text)
    return home ? undefined : 'it leads git to another repository'
  }
  if (path.endsWith('/commondir')) {
    const usual = git.startsWith(`${WORKTREES}/`) && text.trim() === '../..'
    return usual ? undefined : 'it leads git to another configuration'
  }
  const dangers = dangerousChanges(before, text, git.startsWith(MODULES))
  return dangers.length === 0 ? undefined : `it sets ${dangers.slice(0, 3).join(', ')}`
}

/** Whether a `.git` file leads to where git itself keeps submodules and worktrees. */
async function leadsHome(project: string, git: string, text: string): Promise<boolean> {
  const target = /^gitdir: ([^\n]+)\n?$/.exec(text)?.[1]
  if (target === undefined) return false
  const named = resolve(join(project, dirname(git)), target)
  // A folder that is not there yet is judged again at the next look.
  const real = await realpath(named).catch((error: unknown) => (isAbsent(error) ? named : ''))
  return [MODULES, WORKTREES].some((home) => real.startsWith(`${join(project, home)}/`))
}

/** Opened without following a link and without waiting, so that it is one file that is judged. */
async function lookAt(project: string, path: string): Promise<Seen | undefined> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    await using file = await open(join(project, path), flags)
    const facts = await file.stat()
    if (facts.isDirectory() && !/\/(config|config\.worktree|commondir)$/.test(path)) {
      return undefined
    }
    const { mode, uid, gid, size, ino, mtimeMs } = facts
    if (!facts.isFile() || size > MAX_TEXT) return { odd: `${mode}:${ino}:${size}:${mtimeMs}` }
    return { original: { text: await file.readFile('utf8'), mode, uid, gid } }
  } catch (error) {
    if (isAbsent(error)) return undefined
    return { odd: isRecord(error) ? String(error['code']) : 'unreadable' }
  }
}

const isAbsent = (error: unknown): boolean =>
  isRecord(error) && (error['code'] === 'ENOENT' || error['code'] === 'ENOTDIR')

/** Hooks that git would run, by their path relative to the project. */
async function hooksOf(project: string, git: string): Promise<string[]> {
  const hooks = join(git, 'hooks')
  const names = await readdir(join(project, hooks)).catch(() => [])
  return names.filter((name) => !name.endsWith('.sample')).map((name) => join(hooks, name))
}
