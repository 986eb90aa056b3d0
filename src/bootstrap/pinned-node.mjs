import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { BootstrapError } from './steps.mjs'

const packageName = () => `node-linux-${process.arch}`

/** The Node binary that the lock file pins. */
export function pinnedNode(root) {
  const path = join(root, 'node_modules', packageName(), 'bin/node')
  if (existsSync(path)) return path
  if (isEnough(process.versions.node)) return process.execPath
  throw new BootstrapError(
    `There is no pinned Node for ${process.platform} on ${process.arch}, and this one is ${process.versions.node}. Run it with Node 24 or newer.`,
    69,
  )
}

/** Whether this process is the Node to go on under. */
export function runsPinned(root) {
  const manifest = join(root, 'node_modules', packageName(), 'package.json')
  if (!existsSync(manifest)) return isEnough(process.versions.node)
  return JSON.parse(readFileSync(manifest, 'utf8')).version === process.versions.node
}

const isEnough = (version) => Number(version.split('.')[0]) >= 24
