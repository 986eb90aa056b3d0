import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

import { which } from './run.mjs'

/** Takes down every mount at or below these folders, the innermost first. */
export function unmountBelow(folders) {
  for (const path of mountsBelow(readFileSync('/proc/self/mounts', 'utf8'), folders)) {
    // Lazily: a mount still in use by a dying process must not stop the rest.
    spawnSync(which('umount') ?? 'umount', ['--lazy', path], { stdio: 'ignore' })
  }
}

/** From /proc/self/mounts, innermost first. Pure. */
export function mountsBelow(table, folders) {
  return table
    .split('\n')
    .map((line) => unescapeMount(line.split(' ')[1] ?? ''))
    .filter((path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`)))
    .toReversed()
}

/** Blanks are written `\040` there (proc(5)). */
const unescapeMount = (text) =>
  text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
