/** Finds what an agent put into a repository so that the host's next git command runs it. */
import { lstat, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

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
  /** Texts by their path relative to the project; those that were not there are absent. */
  texts: Map<string, Original>
  hooks: Set<string>
}

/** The first is the path itself, where it is a file. */
const TEXTS = ['', 'config', 'config.worktree', 'commondir']
const MAX_TEXT = 1024 * 1024
/** Where git itself keeps the repositories of submodules and worktrees. */
const ITS_OWN = /^gitdir: (\.\.\/)*\.git\/(modules|worktrees)\/[\w./-]+\n?$/
const MODULES = '.git/modules'
/** More submodules than anybody has. */
const MAX_MODULES = 1_000

/** Repositories of submodules, relative to the project. */
export async function modulesOf(project: string): Promise<string[]> {
  const found: string[] = []
  const folders = [MODULES]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // oxlint-disable-next-line no-await-in-loop -- a walk
    const entries = await readdir(join(project, folder), { withFileTypes: true }).catch(() => [])
    if (entries.some(({ name }) => name === 'config' || name === 'HEAD')) found.push(folder)
    else for (const one of entries) if (one.isDirectory()) folders.push(join(folder, one.name))
    if (found.length + folders.length > MAX_MODULES) break
  }
  return found
}

export async function baselineOf(project: string, git: string): Promise<Baseline> {
  const texts = new Map<string, Original>()
  for (const path of TEXTS.map((name) => join(git, name))) {
    // oxlint-disable-next-line no-await-in-loop -- four files
    const original = await originalOf(project, path)
    if (original !== undefined) texts.set(path, original)
  }
  return { git, texts, hooks: new Set(await hooksOf(project, git)) }
}

/** What a repository that was not there would have been. */
export const nothing = (git: string): Baseline => ({ git, texts: new Map(), hooks: new Set() })

/** Everything in it that was planted since. */
export async function plantsIn(project: string, before: Baseline): Promise<Plant[]> {
  const { git, texts } = before
  const plants: Plant[] = []
  for (const name of TEXTS) {
    const path = join(git, name)
    // oxlint-disable-next-line no-await-in-loop -- four files
    const now = await originalOf(project, path)
    const original = texts.get(path)
    if (now === undefined || now.text === original?.text) continue
    const why = judge(git, name, original?.text ?? '', now.text)
    if (why !== undefined) plants.push({ path, why, ...(original && { original }) })
  }
  for (const hook of await hooksOf(project, git)) {
    if (!before.hooks.has(hook)) plants.push({ path: hook, why: 'git runs it' })
  }
  return plants
}

function judge(git: string, name: string, before: string, now: string): string | undefined {
  if (name === '') return ITS_OWN.test(now) ? undefined : 'it leads git to another repository'
  if (name === 'commondir') return 'it leads git to another configuration'
  const dangers = dangerousChanges(before, now, git.startsWith(MODULES))
  return dangers.length === 0 ? undefined : `it sets ${dangers.slice(0, 3).join(', ')}`
}

/** A file's text and owner; `undefined` for anything but a file of a usual size. */
async function originalOf(project: string, path: string): Promise<Original | undefined> {
  try {
    const { mode, uid, gid, size, ...facts } = await lstat(join(project, path))
    if ((mode & 0o170000) !== 0o100000 || size > MAX_TEXT || facts.nlink < 1) return undefined
    return { text: await readFile(join(project, path), 'utf8'), mode, uid, gid }
  } catch {
    return undefined
  }
}

/** Hooks that git would run, by their path relative to the project. */
async function hooksOf(project: string, git: string): Promise<string[]> {
  const hooks = join(git, 'hooks')
  const names = await readdir(join(project, hooks)).catch(() => [])
  return names.filter((name) => !name.endsWith('.sample')).map((name) => join(hooks, name))
}
