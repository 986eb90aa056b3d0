import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Engine } from '../docker/engine.ts'
import { modulesContext } from './agent-modules.ts'
import { cacheFolder } from './cache-folder.ts'
import { CONTEXT_FILES, type Role, recipeOf } from './catalogue.ts'

/** A folder with everything one image is built from; removed when disposed of. */
export type BuildContext = AsyncDisposable & {
  folder: string
  /** Paths inside it. */
  files: string[]
}

export type ContextOptions = {
  /** Where the files are copied from. */
  root: string
  arch: Engine['info']['arch']
  env: NodeJS.ProcessEnv
  /** Files of `container/base/host`. */
  host: Record<string, string>
  onStep: (line: string) => void
}

/**
 * A copy rather than the package's own folder: an installed package may be read-only, and the
 * machine's settings are added. Throws `build_failed` when npm fails.
 */
export async function buildContext(role: Role, options: ContextOptions): Promise<BuildContext> {
  const recipe = recipeOf(role)
  const folder =
    recipe.modules === undefined
      ? await mkdtemp(join(await cacheFolder(options.env), 'context-'))
      : await modulesContext(recipe.modules, options.arch, options.env, options.onStep)
  const files = [...new Set([...CONTEXT_FILES, ...recipe.files])]
  await Promise.all(files.map((file) => place(options.root, folder, file)))
  const host = { ...options.host, README: 'Fetch settings of the building machine.\n' }
  await Promise.all(
    Object.entries(host).map(([name, text]) =>
      write(join(folder, 'container/base/host', name), text),
    ),
  )
  files.push('container/base/host')
  if (recipe.modules !== undefined) files.push(`container/${recipe.modules}/node_modules`)
  return {
    folder,
    files,
    async [Symbol.asyncDispose]() {
      const temporary = recipe.modules === undefined ? folder : join(folder, 'container/base')
      await rm(temporary, { recursive: true, force: true })
    },
  }
}

async function place(root: string, folder: string, file: string): Promise<void> {
  const target = join(folder, file)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(join(root, file), target)
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
