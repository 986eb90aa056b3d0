/**
 * A tiny image made of this machine's own tools and their libraries, so that engine tests need
 * neither a registry nor our real images. Linux only.
 */
import { execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

import type { Engine } from '../../../src/docker/engine.ts'

const TOOLS = [
  'sh',
  'cat',
  'ls',
  'id',
  'sleep',
  'stat',
  'head',
  'wc',
  'touch',
  'grep',
  'df',
  'mkdir',
]
export const TEST_IMAGE = 'glovebox-test/host-tools:2'

const run = promisify(execFile)

/** Imports the image unless the engine has it. Returns its id. */
export async function testImage(engine: Engine): Promise<string> {
  const known = await engine.image(TEST_IMAGE)
  return known?.id ?? (await engine.importRootfs(await hostRootfs(), TEST_IMAGE, []))
}

export async function hostRootfs(): Promise<Readable> {
  const { stdout: found } = await run('sh', [
    '-c',
    TOOLS.map((one) => `command -v ${one}`).join(';'),
  ])
  const tools = found.trim().split('\n')
  const { stdout: listed } = await run('ldd', tools)
  const libraries = [...listed.matchAll(/(\/[^\s:]+)(?= \()/g)].map(([, path = '']) => path)
  const files = await Promise.all([...new Set([...tools, ...libraries])].map(withTarget))
  const names = [...new Set(files.flat())]
  const folders = await openFolders()
  const owner = ['--owner=0', '--group=0', '--dereference', '--hard-dereference']
  const args = [...owner, '-cf', '-', '-C', '/', ...names, '-C', folders, '.']
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  tar.once('close', () => void rm(folders, { recursive: true, force: true }))
  return tar.stdout
}

/** As in our real images: the folders that are a tmpfs or a volume at run time are open to all. */
async function openFolders(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'rootfs-'))
  await chmod(root, 0o755)
  for (const name of ['tmp', 'home/agent', 'run/glovebox']) {
    // oxlint-disable-next-line no-await-in-loop -- three of them
    await mkdir(join(root, name), { recursive: true })
    // oxlint-disable-next-line no-await-in-loop -- mkdir's mode is cut by the umask
    await chmod(join(root, name), 0o1777)
  }
  return root
}

/** The path as asked for and as it really is, without the leading slash. */
async function withTarget(path: string): Promise<string[]> {
  return [...new Set([path, await realpath(path)])].map((one) => one.slice(1))
}
