/** `glovebox run`: one prompt in one folder, for scripts and CI; the same client as the demo's. */
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'

import { paintFor } from '../client/colour.ts'
import { connect } from '../client/connect.ts'
import type { Handlers } from '../client/connect.ts'
import { faultSentence } from '../client/fault.ts'
import { watchInterrupts } from '../client/interrupt.ts'
import type { Interrupt } from '../client/interrupt.ts'
import { exitCodeOf } from '../client/outcome.ts'
import { answerByPolicy, askAtTerminal } from '../client/permission.ts'
import type { Answerer, PermissionPolicy } from '../client/permission.ts'
import { jsonReporter, streamReporter, textReporter } from '../client/report-run.ts'
import type { Reporter } from '../client/report-run.ts'
import { runPrompt } from '../client/run-prompt.ts'
import { spawnAcp } from '../client/spawn-agent.ts'
import { EXIT, GloveboxError } from '../errors.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE =
  'glovebox run [--cwd DIR] [--agent NAME] [--image IMAGE] [--mode ID] [--allow|--deny|--ask] ' +
  '[--output text|json|stream-json] PROMPT   (PROMPT - reads it from stdin)'

export type RunOptions = {
  cwd: string
  agent: string | undefined
  image: string | undefined
  mode: string | undefined
  policy: PermissionPolicy
  output: 'text' | 'json' | 'stream-json'
  prompt: string
}

/**
 * Returns the exit code: 0 done, 1 an error or a refusal, 2 a limit, 130 interrupted. Throws `usage`
 * for arguments that make no run.
 */
export async function runCommand(argv: string[], io: Io): Promise<number> {
  const options = await runOptions(argv, io)
  const reporter = reporterFor(options, io)
  using interrupt = watchInterrupts(process)
  // The reader has left, as `head` does: the work for it stops.
  io.stdout.on('error', interrupt.stop)
  try {
    return await run(options, reporter, interrupt, io)
  } catch (error) {
    if (interrupt.signal.aborted) {
      reporter.failed('Interrupted.')
      return EXIT.interrupted
    }
    reporter.failed(faultSentence(error))
    return error instanceof GloveboxError ? error.exitCode : EXIT.failed
  }
}

async function run(
  options: RunOptions,
  reporter: Reporter,
  interrupt: Interrupt,
  io: Io,
): Promise<number> {
  const { agent, image, cwd, mode, policy, prompt } = options
  const child = spawnAcp({
    entry: process.argv[1] ?? '',
    args: [
      ...(agent === undefined ? [] : ['--agent', agent]),
      ...(image === undefined ? [] : ['--image', image]),
    ],
    env: io.env,
    cwd: process.cwd(),
  })
  interrupt.onSecond = () => void child.kill('SIGKILL')
  const handlers = handlersFor(reporter, answererFor(policy, io), interrupt.signal)
  await using connection = await connect(child, handlers)
  const result = await runPrompt(connection, { cwd, prompt, mode, signal: interrupt.signal })
  reporter.done(result)
  return exitCodeOf(result.stopReason)
}

function handlersFor(reporter: Reporter, answer: Answerer, interrupted: AbortSignal): Handlers {
  return {
    onUpdate: reporter.update,
    onPermission: async (request, signal) => {
      reporter.question(request)
      const outcome = await answer(request, AbortSignal.any([signal, interrupted]))
      reporter.answered(request, outcome)
      return outcome
    },
  }
}

function answererFor(policy: PermissionPolicy, io: Io): Answerer {
  if (policy === 'ask') return askAtTerminal(io.stdin, io.stderr)
  return ({ options }, signal) =>
    Promise.resolve(signal.aborted ? { outcome: 'cancelled' } : answerByPolicy(options, policy))
}

function reporterFor(options: RunOptions, io: Io): Reporter {
  if (options.output === 'json') return jsonReporter(io)
  if (options.output === 'stream-json') return streamReporter(io)
  return textReporter(io, paintFor(io.stderr, io.env))
}

/** Reads the arguments, and the prompt from stdin where it is `-`. */
export async function runOptions(argv: string[], io: Io): Promise<RunOptions> {
  const { values, positionals } = parseArguments(
    USAGE,
    argv,
    {
      cwd: { type: 'string' },
      agent: { type: 'string' },
      image: { type: 'string' },
      mode: { type: 'string' },
      output: { type: 'string' },
      allow: { type: 'boolean' },
      deny: { type: 'boolean' },
      ask: { type: 'boolean' },
    },
    1,
  )
  const [word] = positionals
  if (word === undefined) throw new GloveboxError('usage', 'There is no prompt.', `Usage: ${USAGE}`)
  const fromInput = word === '-'
  const policy = policyOf(values, fromInput, io)
  const prompt = fromInput ? await readAll(io.stdin) : word
  if (prompt.trim() === '')
    throw new GloveboxError('usage', 'The prompt is empty.', `Usage: ${USAGE}`)
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    cwd: resolve(text('cwd') ?? '.'),
    agent: text('agent'),
    image: text('image'),
    mode: text('mode'),
    policy,
    output: outputOf(values['output']),
    prompt,
  }
}

function outputOf(value: unknown): RunOptions['output'] {
  if (value === undefined || value === 'text') return 'text'
  if (value === 'json' || value === 'stream-json') return value
  const given = JSON.stringify(value)
  throw new GloveboxError('usage', `There is no output ${given}.`, `Usage: ${USAGE}`)
}

/** Questions are asked where somebody can answer, and denied where nobody can. */
function policyOf(
  values: Record<string, unknown>,
  inputIsPrompt: boolean,
  io: Io,
): PermissionPolicy {
  const chosen = (['allow', 'deny', 'ask'] as const).filter((name) => values[name] === true)
  const [only] = chosen
  if (chosen.length > 1)
    throw new GloveboxError('usage', 'Choose one of --allow, --deny and --ask.', `Usage: ${USAGE}`)
  const canAsk = isTerminal(io.stdin) && isTerminal(io.stderr) && !inputIsPrompt
  if (only === 'ask' && inputIsPrompt)
    throw new GloveboxError('usage', 'With the prompt on stdin there is nobody to ask.')
  return only ?? (canAsk ? 'ask' : 'deny')
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true
}
