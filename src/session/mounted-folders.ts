/** Makes sure that the folder that was judged is the folder that was mounted. */
import { readFileSync } from 'node:fs'

import { z } from 'zod'

import { GloveboxError } from '../errors.ts'
import type { ProjectFolder } from '../project/cwd.ts'

const Hello = z.looseObject({
  type: z.literal('hello'),
  boot: z.string().max(64),
  folders: z.array(z.string().max(64)).max(1_000),
})

/** The folders that `init` shall tell of: the project in both spellings. */
export function foldersToTell({ cwd, realCwd }: ProjectFolder, covers: Cover[]): string[] {
  return [...new Set([realCwd, cwd]), ...covers.map(({ path }) => path)]
}

/** What is mounted inside the project, and the `device:inode` that must be found there. */
export type Cover = { path: string; identity: string }

/**
 * Compares what `init` found at its start, before the agent ran, with the folder that was judged.
 * Between the two another agent could have put a link in its place. Where the engine runs on
 * another kernel (a desktop's virtual machine) numbers cannot be compared.
 * Errors: `container_refused`.
 */
export function checkMounted(
  project: ProjectFolder,
  covers: Cover[],
  message: unknown,
  boot = ownBoot(),
): void {
  const hello = Hello.safeParse(message)
  if (hello.success && (boot === undefined || hello.data.boot !== boot)) return
  const own = foldersToTell(project, []).map(() => project.identity)
  const expected = [...own, ...covers.map(({ identity }) => identity)]
  if (hello.success && hello.data.folders.join() === expected.join()) return
  throw new GloveboxError(
    'container_refused',
    `The folder ${project.cwd}, or something protected in it, was exchanged while it was being mounted, so nothing was started in it.`,
    'Look who changes it (an agent of a folder above?), then try again.',
  )
}

function ownBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}
