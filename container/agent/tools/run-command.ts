import { existsSync } from 'node:fs'

import { z } from 'zod'

import { oneLine } from '../visible.ts'
import { commandEnvironment } from './command-environment.ts'
import { HeadAndTail } from './head-and-tail.ts'
import type { Place } from './place.ts'
import type { GroupEnd } from './process-groups.ts'
import { defineTool } from './tool.ts'
import type { RunContext, ToolResult } from './tool.ts'

/** Characters kept of each end of the output. */
const KEPT = 15_000
/** Seconds. */
const TIMEOUT = 120
const MAX_TIMEOUT = 1_200

const Input = z.strictObject({
  command: z.string().min(1).describe('The command line, run by a shell in the project folder.'),
  timeout: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT)
    .optional()
    .describe(`Seconds until it is stopped; ${TIMEOUT} when absent.`),
})
type Input = z.infer<typeof Input>

export const runCommandTool = defineTool({
  name: 'run_command',
  kind: 'execute',
  readOnly: false,
  description:
    'Runs a shell command and gives its output and exit code. There is no terminal and no input. ' +
    'What it leaves in the background is ended with it. Long output is cut in the middle.',
  input: Input,
  plan: (input, place) => ({
    title: `$ ${oneLine(input.command)}`,
    kind: 'execute',
    locations: [],
    need: { access: 'command', command: input.command },
    card: [{ type: 'terminal', cwd: place.root, output: '' }],
    prepare: async () => ({
      preview: [{ type: 'text', text: `$ ${input.command}` }],
      run: (context) => run(input, place, context),
    }),
  }),
})

async function run(input: Input, place: Place, context: RunContext): Promise<ToolResult> {
  const kept = new HeadAndTail(KEPT)
  const timeout = input.timeout ?? TIMEOUT
  const end = await place.groups.run({
    file: shell(),
    args: ['-c', input.command],
    cwd: place.root,
    env: commandEnvironment(process.env),
    signal: context.signal,
    timeout: timeout * 1000,
    onOutput: (text) => {
      kept.add(text)
      context.progress(text)
    },
  })
  return resultOf(end, kept.text(), timeout, place.root)
}

function resultOf(end: GroupEnd, output: string, timeout: number, cwd: string): ToolResult {
  const { code, signal, timedOut } = end
  const outcome = timedOut
    ? `Stopped after ${timeout} s.`
    : signal === null
      ? `Exit code ${code}.`
      : `Ended by ${signal}.`
  const body = output === '' ? '' : `${output}${output.endsWith('\n') ? '' : '\n'}`
  return {
    text: `${body}${outcome}`,
    failed: timedOut || code !== 0,
    show: [{ type: 'terminal', cwd, output: body, outcome, exit: { code, signal } }],
    raw: { exitCode: code, signal, timedOut },
  }
}

function shell(): string {
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
}
