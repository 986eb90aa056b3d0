/** `glovebox setup`: asks for a model provider and its key. Also `glovebox acp setup`. */
import { EXIT, GloveboxError } from '../errors.ts'
import { askForProvider } from '../setup/ask.ts'
import { saveAnswers } from '../setup/save.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

/** Exit code 0: a session can start now, as far as the key is concerned. */
export async function setupCommand(argv: string[], io: Io): Promise<number> {
  parseArguments('glovebox setup', argv, {})
  if (!('isTTY' in io.stdin) || io.stdin.isTTY !== true) {
    throw new GloveboxError(
      'usage',
      'glovebox setup asks questions and needs a terminal.',
      'Without one, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a key_file in the configuration.',
    )
  }
  const answers = await askForProvider(io.stdin, io.stdout)
  const paths = statePaths(io.env)
  const keyFile = await saveAnswers(paths, answers)
  const kept = keyFile === undefined ? '' : ` The key is in ${keyFile}, readable by you alone.`
  io.stdout.write(`Saved in ${paths.userConfig}.${kept}\n`)
  return EXIT.ok
}
