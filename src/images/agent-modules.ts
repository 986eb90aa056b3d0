/** The npm packages of an agent's image, installed on the host so that its npm settings hold. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Engine } from '../docker/engine.ts'
import { packageRoot } from '../package-root.ts'
import { cacheFolder } from './cache-folder.ts'
import { type PackagedAgent, PACKAGED } from './catalogue.ts'
import { runTool } from './run-tool.ts'

const MANIFESTS = ['package.json', 'package-lock.json']
const NPM_CPU = { amd64: 'x64', arm64: 'arm64' } as const

/**
 * A build context folder of the cache that holds `container/<agent>/node_modules`, as the committed
 * lock file says; installed when it is not there yet. No install script runs. Throws `build_failed`.
 */
export async function modulesContext(
  agent: PackagedAgent,
  arch: Engine['info']['arch'],
  env: NodeJS.ProcessEnv,
  onStep: (line: string) => void,
): Promise<string> {
  const source = join(packageRoot(), 'container', agent)
  const hash = createHash('sha256').update(arch)
  for (const name of MANIFESTS) {
    // oxlint-disable-next-line no-await-in-loop -- a hash depends on the order
    hash.update(await readFile(join(source, name)))
  }
  const cache = await cacheFolder(env)
  const name = `${agent}-${hash.digest('hex').slice(0, 16)}`
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  onStep(`Installing the packages of the agent ${agent} with npm (about ${PACKAGED[agent]} MB)`)
  const partial = `${folder}.${process.pid}`
  try {
    await install(source, join(partial, 'container', agent), arch, env)
    await rename(partial, folder)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  await forgetOlder(cache, agent, name)
  return folder
}

async function install(
  source: string,
  folder: string,
  arch: Engine['info']['arch'],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  await Promise.all(MANIFESTS.map((name) => copyFile(join(source, name), join(folder, name))))
  const platform = ['--os=linux', `--cpu=${NPM_CPU[arch]}`, '--libc=glibc']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  await runTool('npm', ['ci', '--ignore-scripts', ...platform, ...quiet], { cwd: folder, env })
}

async function forgetOlder(cache: string, agent: PackagedAgent, keep: string): Promise<void> {
  const ours = new RegExp(`^${agent}-[0-9a-f]{16}$`)
  const old = (await readdir(cache)).filter((name) => ours.test(name) && name !== keep)
  await Promise.all(old.map((name) => rm(join(cache, name), { recursive: true, force: true })))
}
