/** Brings node_modules to what package-lock.json says. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { run } from './run.mjs'
import { step } from './steps.mjs'

/** Runs `npm ci` unless node_modules is known to be what the lock file says. */
export async function installModules(root) {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const wanted = createHash('sha256').update(lock).digest('hex')
  const stamp = join(root, 'node_modules/.glovebox-lock')
  if (textOf(stamp) === wanted) return
  const installed = textOf(join(root, 'node_modules/.package-lock.json'))
  if (installed === '' || !matches(JSON.parse(lock), JSON.parse(installed))) {
    step('Installing the npm packages of package-lock.json')
    // Warnings of engines are about the machine's own Node, which is not the one that will run.
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root })
  }
  writeFileSync(stamp, wanted)
}

/**
 * Whether an installation (npm's own record in node_modules) is what the lock file asks for.
 * Packages for other platforms may be missing.
 */
export function matches(lock, installed) {
  const there = installed.packages ?? {}
  const wanted = Object.entries(lock.packages ?? {}).filter(([path]) => path !== '')
  const paths = new Set(wanted.map(([path]) => path))
  return (
    Object.keys(there).every((path) => paths.has(path)) &&
    wanted.every(([path, { version, integrity, optional }]) => {
      const found = there[path]
      if (found === undefined) return optional === true
      return found.version === version && found.integrity === integrity
    })
  )
}

/** Empty when there is no such file. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
