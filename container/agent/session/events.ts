import type { Mode } from '../permission/modes.ts'
import type { CallKind, FormQuestion, Location, PlanEntry, Presentation } from '../tools/tool.ts'
/** What a turn tells its user, and what it asks; the ACP layer puts both on the wire. */
import type { PromptPiece } from './attach.ts'
import type { Choice } from './options.ts'

export type TurnEvent =
  /** What the user sent, told again when a session is opened anew. */
  | { type: 'user'; piece: PromptPiece; messageId: string }
  | { type: 'text'; text: string; messageId: string }
  | { type: 'thinking'; text: string; messageId: string }
  /** A line of the agent's own, not the model's. */
  | { type: 'notice'; text: string }
  | ({ type: 'call' } & CallEntry)
  | { type: 'call-started'; id: string; locations?: Location[] }
  | { type: 'call-output'; id: string; output: string }
  | {
      type: 'call-ended'
      id: string
      failed: boolean
      content: Presentation[]
      raw: unknown
    }
  | { type: 'plan'; entries: PlanEntry[] }
  /** Tokens, and the session's cost so far in US dollars. */
  | { type: 'usage'; used: number; size: number; cost: number | undefined }
  /** The mode changed without the user's doing, and the choices with it. */
  | { type: 'mode'; mode: Mode; choices: Choice[] }
  | { type: 'commands'; commands: CommandInfo[] }
  | { type: 'title'; title: string }

export type CallEntry = {
  id: string
  title: string
  kind: CallKind
  locations: Location[]
  content: Presentation[]
  input: unknown
}

export type Question = CallEntry & {
  /** The rule that an answer "for this session" makes, in the rules' syntax. */
  rule: string
}

/** `session`: the answer holds for this session, as the rule of the question. */
export type Answer =
  | { allowed: true; session: boolean }
  | { allowed: false; session: boolean; reason: string }

export type TurnPorts = {
  /** Resolves when the client took it; never rejects. */
  emit: (event: TurnEvent) => Promise<void>
  /** Never rejects: whatever is no clear yes is a no. */
  ask: (question: Question, signal: AbortSignal) => Promise<Answer>
  /** `undefined` where the client has no forms; what it gives is `undefined` without an answer. */
  form: AskForm | undefined
}

export type AskForm = (
  callId: string,
  questions: FormQuestion[],
  signal: AbortSignal,
) => Promise<string[][] | undefined>

/** A slash command, for the client's menu; `hint` stands for its arguments. */
type CommandInfo = { name: string; description: string; hint: string | undefined }
