/** Builds dist/ when a source changed since it was built. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

import { run } from './run.mjs'
import { step } from './steps.mjs'

const SOURCES = [
  'src',
  'egress-proxy',
  'container/init',
  'container/agent',
  'container/demo-model',
  'rolldown.config.ts',
  'package-lock.json',
  'package.json',
]

/** What has to be there afterwards. */
const OUTPUTS = [
  'glovebox.mjs',
  ...['init', 'agent', 'egress-proxy', 'demo-model'].map((name) => `image/${name}.mjs`),
]

export async function bundle(root) {
  const wanted = fingerprint(root, SOURCES)
  const dist = join(root, 'dist')
  const stamp = join(dist, '.sources')
  const complete = OUTPUTS.every((file) => existsSync(join(dist, file)))
  if (complete && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  step('Bundling the programs')
  const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs')
  rmSync(join(dist, 'launcher'), { recursive: true, force: true })
  await run(process.execPath, [rolldown, '-c', 'rolldown.config.ts'], { cwd: root })
  writeFileSync(stamp, wanted)
}

/** A hash over names and content of files and of all files in folders. */
export function fingerprint(root, sources) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesOf(join(root, source)))) {
    const content = readFileSync(file)
    hash.update(`${relative(root, file)}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

function filesOf(path) {
  let entries
  try {
    entries = readdirSync(path, { withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path]
    throw error
  }
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesOf(join(path, entry.name)))
}
