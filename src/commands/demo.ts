/** `glovebox demo`: the whole path on a small project, with everything it shows checked. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { paintFor } from '../client/colour.ts'
import type { Paint } from '../client/colour.ts'
import { faultSentence } from '../client/fault.ts'
import { watchInterrupts } from '../client/interrupt.ts'
import type { Interrupt } from '../client/interrupt.ts'
import { askAtTerminal } from '../client/permission.ts'
import type { Answerer } from '../client/permission.ts'
import {
  FORBIDDEN_HOST,
  auditProblems,
  leftovers,
  lookAtSession,
  sessionDecisions,
} from '../demo/box.ts'
import type { Box } from '../demo/box.ts'
import { checksOf } from '../demo/checks.ts'
import type { Check } from '../demo/checks.ts'
import type { DecisionRow } from '../demo/decisions.ts'
import { driveTurn } from '../demo/drive.ts'
import type { Turn } from '../demo/drive.ts'
import { makeProject } from '../demo/project.ts'
import type { DemoProject } from '../demo/project.ts'
import { chooseProvider } from '../demo/provider.ts'
import type { Provider } from '../demo/provider.ts'
import { checkList, decisionTable, editorLines, heading, introduction } from '../demo/show.ts'
import { makeWorkspace } from '../demo/workspace.ts'
import { findEngine } from '../docker/find.ts'
import { EXIT, GloveboxError } from '../errors.ts'
import type { Finding } from '../proof/look.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE = 'glovebox demo [--ask]'
const PROMPT = 'Please make the failing test pass.'

type Demo = {
  project: DemoProject
  box: Box
  provider: Provider
  write: (text: string) => void
  paint: Paint
  ask: Answerer | undefined
}

type Found = { seen: Finding[]; decisions: DecisionRow[] }

/**
 * Returns 0 only when everything it shows was checked and holds, 130 when interrupted, else 1.
 * Throws `engine_missing`, `engine_denied`, `image_missing`, `image_not_pinned` and the agent's own.
 */
export async function demoCommand(argv: string[], io: Io): Promise<number> {
  const { values } = parseArguments(USAGE, argv, { ask: { type: 'boolean' } })
  using interrupt = watchInterrupts(process)
  io.stdout.on('error', interrupt.stop)
  const engine = await findEngine(io.env)
  const paths = statePaths(io.env)
  const project = makeProject()
  const workspace = await makeWorkspace(paths.cache, project)
  await using provider = await chooseProvider(engine, workspace, io.env)
  const demo: Demo = {
    project,
    box: { engine, paths, workspace, keys: provider.keys },
    provider,
    write: (text) => void io.stdout.write(text),
    paint: paintFor(io.stdout, io.env),
    ask: values['ask'] === true ? askAtTerminal(io.stdin, io.stdout) : undefined,
  }
  demo.write(introduction(engine.info, workspace, provider.told, PROMPT))
  try {
    const turn = await work(demo, interrupt)
    if (turn.found === undefined) return EXIT.interrupted
    return tell(demo, turn.found, await check(demo, turn, turn.found))
  } catch (error) {
    if (interrupt.signal.aborted) return EXIT.interrupted
    if (error instanceof GloveboxError) throw error
    throw new GloveboxError('session_ended', faultSentence(error), '', { cause: error })
  }
}

/** `found` is undefined when the turn was interrupted. */
function work(demo: Demo, interrupt: Interrupt): Promise<Turn<Found | undefined>> {
  const { box, provider, write, paint, ask } = demo
  write(heading('The agent works', paint))
  const { project } = box.workspace
  const drive = { env: provider.env, project, prompt: PROMPT, write, paint, interrupt, ask }
  return driveTurn(drive, async () => {
    if (interrupt.signal.aborted) return undefined
    const seen = await lookAtSession(box)
    return { seen, decisions: await sessionDecisions(box) }
  })
}

async function check(
  { project, box, provider }: Demo,
  turn: Turn<unknown>,
  { decisions }: Found,
): Promise<Check[]> {
  const path = join(box.workspace.project, project.source)
  const [after, fileOwner, left, problems] = await Promise.all([
    readFile(path, 'utf8'),
    stat(path),
    leftovers(box),
    auditProblems(box),
  ])
  return checksOf({
    stopReason: turn.stopReason,
    answers: turn.answers,
    toolCalls: turn.record.toolCalls,
    before: project.files[project.source] ?? '',
    after,
    owner: box.workspace.owner,
    fileOwner,
    decisions,
    forbiddenHost: FORBIDDEN_HOST,
    requests: provider.model?.requests,
    auditProblems: problems,
    leftovers: left,
  })
}

function tell({ box, write, paint }: Demo, { seen, decisions }: Found, checks: Check[]): number {
  write(heading('What the border decided', paint))
  write(decisionTable(decisions))
  write(heading('What a look from inside the container finds', paint))
  write(checkList(seen, paint))
  write(heading('Checked', paint))
  write(checkList(checks, paint))
  write(heading('Use it in your editor', paint))
  write(editorLines([process.execPath, process.argv[1] ?? '', 'acp'], paint))
  const all = [...seen, ...checks]
  const held = all.filter(({ ok }) => ok).length
  const good = held === all.length
  write(`\n${paint(good ? 'good' : 'bad', `${held} of ${all.length} checks hold.`)}`)
  write(` The project is in ${box.workspace.project}\n`)
  return good ? EXIT.ok : EXIT.failed
}
