import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

let root: string | undefined

/** The folder of our package.json: two levels up from a source file, one up from the bundle. */
export function packageRoot(): string {
  if (root !== undefined) return root
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  root = folder
  return folder
}

/** Our version, as in package.json. */
export function packageVersion(): string {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8')
  const { version }: { version: string } = JSON.parse(text)
  return version
}
