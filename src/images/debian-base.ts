/** A base image from Debian packages and our pinned Node, where no image registry can be reached. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readFile, readdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

import type { Engine } from '../docker/engine.ts'
import { packageRoot } from '../package-root.ts'
import { cacheFolder } from './cache-folder.ts'
import { runTool } from './run-tool.ts'

const SCRIPT = 'container/base/build-base.sh'
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export type DebianBase = {
  /** `glovebox/base:…`, named by everything it is made of except the package versions. */
  tag: string
  /** The Node binary that goes in. */
  node: string
}

/** What the base would be called here; `undefined` where it cannot be made at all. */
export async function debianBase(arch: Engine['info']['arch']): Promise<DebianBase | undefined> {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch
  if (process.platform !== 'linux' || machine !== arch) return undefined
  const suite = /^VERSION_CODENAME=(.+)$/m.exec(await readText('/etc/os-release'))?.[1]
  if (suite === undefined || !existsSync('/usr/bin/apt-get')) return undefined
  const node = await pinnedNode()
  const hash = createHash('sha256')
    .update(await readFile(join(packageRoot(), SCRIPT)))
    .update([suite, arch, node.version].join('\n'))
    .digest('hex')
  return { tag: `glovebox/base:${suite}-${hash.slice(0, 12)}`, node: node.path }
}

/** Only root can make a root file system with device, owner and mode bits right. */
export const mayMakeDebianBase = (): boolean => process.getuid?.() === 0

/**
 * Makes the base (about half a minute) unless its archive is in the cache, and imports it. Returns
 * the image id. Throws `build_failed`, `engine_failed`.
 */
export async function makeDebianBase(
  engine: Engine,
  base: DebianBase,
  env: NodeJS.ProcessEnv,
  onStep: (line: string) => void,
): Promise<string> {
  const folder = await cacheFolder(env)
  const name = `${base.tag.replace(/[/:]/g, '-')}.tar`
  const archive = join(folder, name)
  if (!existsSync(archive)) {
    await requireMmdebstrap(env, onStep)
    onStep('Making a base image from this machine’s package mirror (about half a minute)')
    const partial = `${archive}.${process.pid}`
    try {
      await runTool(join(packageRoot(), SCRIPT), [base.node, partial], { env })
      await rename(partial, archive)
    } finally {
      await rm(partial, { force: true })
    }
    await forgetOlder(folder, name)
  }
  onStep(`Importing the base image as ${base.tag}`)
  return await engine.importRootfs(createReadStream(archive), base.tag, [`ENV ${PATH}`])
}

async function requireMmdebstrap(
  env: NodeJS.ProcessEnv,
  onStep: (line: string) => void,
): Promise<void> {
  const folders = (env['PATH'] ?? '').split(delimiter)
  if (folders.some((folder) => existsSync(join(folder, 'mmdebstrap')))) return
  onStep('Installing mmdebstrap')
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } }
  await runTool('apt-get', ['update', '-qq'], quiet)
  await runTool('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'mmdebstrap'], quiet)
}

/** Archives of earlier bases are 300 MB each. */
async function forgetOlder(folder: string, keep: string): Promise<void> {
  const names = await readdir(folder)
  const old = names.filter((name) => /^glovebox-base-.*\.tar$/.test(name) && name !== keep)
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
}

/** The Node that the lock file pins, or the one that runs this. */
async function pinnedNode(): Promise<{ path: string; version: string }> {
  const name = `node-linux-${process.arch}`
  try {
    const manifest = createRequire(join(packageRoot(), 'package.json')).resolve(
      `${name}/package.json`,
    )
    const path = join(dirname(manifest), 'bin/node')
    const version = /"version": "([^"]+)"/.exec(await readText(manifest))?.[1]
    if (version !== undefined && existsSync(path)) return { path, version }
  } catch {
    // Optional dependency: a user's installation may have left it out.
  }
  return { path: process.execPath, version: process.versions.node }
}

async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '')
}
