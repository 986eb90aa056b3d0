/** Keeps a key in a file of its own and names that file in the user's configuration. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { GloveboxError } from '../errors.ts'
import { UserConfig } from '../policy/schema.ts'
import type { StatePaths } from '../state.ts'

export type Answers = {
  /** A provider's id: `anthropic`, `openai`, or one of the user's own. */
  provider: string
  /** Only for one that is not built in. */
  custom?: { preset: 'anthropic' | 'openai'; base_url: string; model?: string }
  /** Absent for a local model that wants none. */
  key?: string
}

/**
 * Writes key file (mode 0600) and configuration; what else the configuration holds stays.
 * Returns the key file's path, if one was written. Errors: `config_invalid`.
 */
export async function saveAnswers(
  paths: Pick<StatePaths, 'userConfig'>,
  answers: Answers,
): Promise<string | undefined> {
  const config = await readConfig(paths.userConfig)
  const folder = dirname(paths.userConfig)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const keyFile = answers.key === undefined ? undefined : join(folder, 'keys', answers.provider)
  if (keyFile !== undefined && answers.key !== undefined) {
    await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 })
    await writeAside(keyFile, `${answers.key}\n`)
  }
  const entry = {
    ...config.providers?.[answers.provider],
    ...answers.custom,
    ...(keyFile === undefined ? {} : { key_file: keyFile }),
  }
  const changed = UserConfig.parse({
    ...config,
    provider: answers.provider,
    providers: { ...config.providers, [answers.provider]: entry },
  })
  await writeAside(paths.userConfig, `${JSON.stringify(changed, undefined, 2)}\n`)
  return keyFile
}

async function readConfig(path: string): Promise<UserConfig> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    return { version: 1 }
  }
  try {
    return UserConfig.parse(JSON.parse(text))
  } catch (error) {
    throw new GloveboxError(
      'config_invalid',
      `The configuration ${path} is not valid, so nothing was changed.`,
      'Correct or remove it, then run `glovebox setup` again.',
      { cause: error },
    )
  }
}

/** Never half a file, and never readable by others, not even for a moment. */
async function writeAside(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await writeFile(aside, text, { mode: 0o600 })
  await chmod(aside, 0o600)
  await rename(aside, path)
}
