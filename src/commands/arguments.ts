import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

import { GloveboxError } from '../errors.ts'

export type Arguments = {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>
  positionals: string[]
}

/**
 * Reads a command's arguments. Errors: `usage` with what was wrong and how the command is used.
 * `positionals`: how many words may follow; none by default.
 */
export function parseArguments(
  usage: string,
  argv: string[],
  options: ParseArgsOptionsConfig,
  positionals = 0,
): Arguments {
  try {
    const parsed = parseArgs({
      args: argv,
      options,
      allowPositionals: positionals > 0,
      strict: true,
    })
    if (parsed.positionals.length > positionals) {
      throw new Error(`Unexpected argument '${parsed.positionals[positionals]}'`)
    }
    return { values: parsed.values, positionals: parsed.positionals }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const what = text.split('. To specify')[0]?.replace(/\.$/, '') ?? text
    throw new GloveboxError('usage', `${what}.`, `Usage: ${usage}`, { cause: error })
  }
}
