/** Puts a demo project on disk, in the user's cache folder. */
import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import type { DemoProject } from './project.ts'

export type Workspace = {
  /** The project; absolute. */
  project: string
  /** Beside it, for what no agent may see; mode 0700. */
  secret: string
  owner: { uid: number; gid: number }
}

/** Folders of earlier demos are removed after this long, in milliseconds. */
const KEEP = 24 * 60 * 60 * 1000

/**
 * Makes `<cache>/demo/run-…/{project,secret}`. The files are the caller's; a root caller's are
 * given to uid 1000, so that it can be seen which user the agent works as.
 */
export async function makeWorkspace(cache: string, demo: DemoProject): Promise<Workspace> {
  const all = join(cache, 'demo')
  await removeOld(all)
  await mkdir(all, { recursive: true })
  // The engine's labels and the audit log name real paths.
  const run = await realpath(await mkdtemp(join(all, 'run-')))
  const [project, secret] = [join(run, 'project'), join(run, 'secret')]
  await mkdir(secret, { mode: 0o700 })
  for (const [name, text] of Object.entries(demo.files)) {
    // oxlint-disable-next-line no-await-in-loop -- three small files, in the order they read
    await writeTo(join(project, name), text)
  }
  await gitInit(project)
  if (process.getuid?.() === 0) await giveTo(project, 1000)
  const { uid, gid } = await stat(project)
  return { project, secret, owner: { uid, gid } }
}

async function writeTo(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/** A repository with one commit, where there is git; without the user's templates and hooks. */
async function gitInit(project: string): Promise<void> {
  const git = async (...args: string[]) => {
    const env = { ...process.env, GIT_TEMPLATE_DIR: '', GIT_CONFIG_GLOBAL: '/dev/null' }
    await promisify(execFile)('git', args, { cwd: project, env })
  }
  const author = ['-c', 'user.name=Glovebox demo', '-c', 'user.email=demo@localhost']
  try {
    await git('-c', 'init.defaultBranch=main', 'init', '-q')
    await git('add', '--all')
    await git(...author, 'commit', '-q', '--no-verify', '-m', 'A project with a failing test')
  } catch {
    // Without git the demo shows the same.
    await rm(join(project, '.git'), { recursive: true, force: true })
  }
}

async function giveTo(folder: string, id: number): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  await Promise.all(['', ...names].map((name) => chown(join(folder, name), id, id)))
}

async function removeOld(all: string): Promise<void> {
  const names = await readdir(all).catch(() => [])
  for (const name of names) {
    const path = join(all, name)
    // oxlint-disable-next-line no-await-in-loop -- a handful, once a day
    const age = Date.now() - (await stat(path)).mtimeMs
    // oxlint-disable-next-line no-await-in-loop
    if (age > KEEP) await rm(path, { recursive: true, force: true })
  }
}
