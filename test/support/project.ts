/** A project of a test, with the patterns that hold by default. */
import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { MASKED, PROTECTED } from '../../src/project/guarded/names.ts'

export const USUAL = { mask: MASKED, unmask: [], protect: PROTECTED }

/** Runs git as somebody; its output. */
export function git(cwd: string, ...args: string[]): string {
  const settings = ['user.name=a', 'user.email=a@b.test', 'init.defaultBranch=main']
  const all = [...settings.flatMap((one) => ['-c', one]), ...args]
  return execFileSync('git', all, { cwd, encoding: 'utf8', stdio: 'pipe' })
}

/** An empty folder inside; its path. */
export async function projectIn(folder: string): Promise<string> {
  const root = join(folder, 'project')
  await mkdir(root)
  return root
}
