/** Drives `glovebox acp` as an editor would, and shows what an editor would show. */
import type { RequestPermissionRequest, StopReason } from '@agentclientprotocol/sdk'

import type { Paint } from '../client/colour.ts'
import { connect } from '../client/connect.ts'
import type { Interrupt } from '../client/interrupt.ts'
import { answerByPolicy, answerName } from '../client/permission.ts'
import type { Answerer } from '../client/permission.ts'
import { createRenderer } from '../client/render.ts'
import { runPrompt } from '../client/run-prompt.ts'
import { spawnAcp } from '../client/spawn-agent.ts'
import type { TurnRecord } from '../client/turn-record.ts'
import { visibleLine } from '../client/visible.ts'

export type Drive = {
  env: Record<string, string | undefined>
  /** Absolute. */
  project: string
  prompt: string
  write: (text: string) => void
  paint: Paint
  interrupt: Interrupt
  /** Asks the user; when absent, every question is answered with its "Allow once". */
  ask: Answerer | undefined
}

export type Answer = { kind: string; title: string; hadDiff: boolean; answer: string }

export type Turn<T> = {
  stopReason: StopReason
  record: TurnRecord
  answers: Answer[]
  /** What `whileOpen` found. */
  found: T
}

/**
 * One prompt in a new session. `whileOpen` runs after the turn, while the session's containers still
 * run. Errors: the agent's own, and `session_ended` when it did not start.
 */
export async function driveTurn<T>(drive: Drive, whileOpen: () => Promise<T>): Promise<Turn<T>> {
  const { env, project, prompt, write, interrupt } = drive
  const entry = process.argv[1] ?? ''
  const child = spawnAcp({ entry, args: [], env, cwd: project })
  interrupt.onSecond = () => void child.kill('SIGKILL')
  const screen = createRenderer({ text: write, activity: write, paint: drive.paint })
  const answers: Answer[] = []
  await using connection = await connect(child, {
    onUpdate: screen.update,
    onPermission: async (request, signal) => {
      screen.question(request)
      const asked = drive.ask ?? allowOnce
      const outcome = await asked(request, AbortSignal.any([signal, interrupt.signal]))
      const { name, kind } = answerName(request.options, outcome)
      const by = drive.ask === undefined ? '   (answered by the demo)' : ''
      write(`  → ${visibleLine(name)}${by}\n`)
      answers.push(answerOf(request, kind))
      return outcome
    },
  })
  const { stopReason } = await runPrompt(connection, {
    cwd: project,
    prompt,
    signal: interrupt.signal,
  })
  screen.end()
  return { stopReason, record: screen.record, answers, found: await whileOpen() }
}

const allowOnce: Answerer = ({ options }, signal) =>
  Promise.resolve(signal.aborted ? { outcome: 'cancelled' } : answerByPolicy(options, 'allow'))

function answerOf({ toolCall }: RequestPermissionRequest, answer: string): Answer {
  const { kind, title, content } = toolCall
  const hadDiff = (content ?? []).some(({ type }) => type === 'diff')
  return { kind: kind ?? '', title: title ?? '', hadDiff, answer }
}
