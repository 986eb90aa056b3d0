/** A launcher whose bundled profile differs: a package folder of its own around the same bundle. */
import { copyFile, cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ROOT } from './editor.ts'

/** Makes it in `folder`. Returns the launcher's file. */
export async function launcherWith(
  folder: string,
  changes: Record<string, unknown>,
): Promise<string> {
  const root = await mkdtemp(join(folder, 'package-'))
  const profiles = join(root, 'container', 'profiles')
  await cp(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true })
  await cp(join(ROOT, 'container', 'profiles'), profiles, { recursive: true })
  await copyFile(join(ROOT, 'package.json'), join(root, 'package.json'))
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  const file = join(profiles, 'bundled.json')
  const profile = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  await writeFile(file, JSON.stringify({ ...profile, ...changes }))
  return join(root, 'dist', 'glovebox.mjs')
}
