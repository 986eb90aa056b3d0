/**
 * A tiny image made of this machine's own tools and their libraries, so that engine tests need
 * neither a registry nor our real images. Linux only.
 */
import { execFile, spawn } from 'node:child_process'
import { realpath } from 'node:fs/promises'
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
export const TEST_IMAGE = 'glovebox-test/host-tools:1'

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
  const tar = spawn(
    'tar',
    ['-C', '/', '--dereference', '--hard-dereference', '-cf', '-', ...names],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return tar.stdout
}

/** The path as asked for and as it really is, without the leading slash. */
async function withTarget(path: string): Promise<string[]> {
  return [...new Set([path, await realpath(path)])].map((one) => one.slice(1))
}
