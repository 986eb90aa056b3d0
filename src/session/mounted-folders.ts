/** Makes sure that the folder that was judged is the folder that was mounted. */
import { readFileSync } from 'node:fs'

import { z } from 'zod'

import { GloveboxError } from '../errors.ts'
import type { ProjectFolder } from '../project/cwd.ts'

const Hello = z.looseObject({
  type: z.literal('hello'),
  boot: z.string().max(64),
  folders: z.array(z.string().max(64)).max(8),
})

/** The folders that `init` shall tell of: the project in both spellings. */
export function foldersToTell({ cwd, realCwd }: ProjectFolder): string[] {
  return [...new Set([realCwd, cwd])]
}

/**
 * Compares what `init` found at its start, before the agent ran, with the folder that was judged.
 * Between the two another agent could have put a link in its place. Where the engine runs on
 * another kernel (a desktop's virtual machine) numbers cannot be compared.
 * Errors: `container_refused`.
 */
export function checkMounted(project: ProjectFolder, message: unknown, boot = ownBoot()): void {
  const hello = Hello.safeParse(message)
  if (hello.success && (boot === undefined || hello.data.boot !== boot)) return
  const expected = foldersToTell(project).map(() => project.identity)
  if (hello.success && hello.data.folders.join() === expected.join()) return
  throw new GloveboxError(
    'container_refused',
    `The folder ${project.cwd} was exchanged for another one while it was being mounted, so nothing was started in it.`,
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
