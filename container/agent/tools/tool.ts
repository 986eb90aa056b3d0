/** What a tool is: how a call is read, shown, judged and run. It knows nothing of ACP. */
import { z } from 'zod'

import type { ImagePart, ToolSpec } from '../model/model.ts'
import type { Mode } from '../permission/modes.ts'
import type { Need } from '../permission/need.ts'
import type { Place } from './place.ts'

/** What a call does, for icons; the words are ACP's `ToolKind`. */
export type CallKind =
  | 'read'
  | 'search'
  | 'edit'
  | 'delete'
  | 'move'
  | 'execute'
  | 'fetch'
  | 'think'
  | 'switch_mode'
  | 'other'

/** An absolute path, and a line counted from 1. */
export type Location = { path: string; line?: number }

/** How a call shows itself to the user. */
export type Presentation =
  | { type: 'text'; text: string }
  /** `oldText` is absent for a new file. */
  | { type: 'diff'; path: string; oldText: string | undefined; newText: string }
  /** A command's card; `cwd` is absolute, `outcome` says in words how it ended. */
  | { type: 'terminal'; cwd: string; output: string; outcome?: string; exit?: Exit }

export type Exit = { code: number | null; signal: string | null }

export type ToolResult = {
  /** What the model reads. */
  text: string
  failed: boolean
  images?: ImagePart[]
  /** What the user sees; the text when absent. */
  show?: Presentation[]
  /** Facts for programs, as JSON. */
  raw?: unknown
  /** The plan the user is shown from now on. */
  plan?: PlanEntry[]
  /** Plan mode ends with this result. */
  leavesPlan?: true
  /** The turn ends with this result, and with these words of the agent's. */
  ends?: { say: string }
}

export type PlanEntry = {
  content: string
  status: 'pending' | 'in_progress' | 'completed'
  priority: 'high' | 'medium' | 'low'
}

export type RunContext = {
  signal: AbortSignal
  /** A piece of output, as it comes. */
  progress: (output: string) => void
  /**
   * Asks the user, where the client has forms: one list of answers for each question.
   * `undefined` when the user did not answer.
   */
  form: ((questions: FormQuestion[]) => Promise<string[][] | undefined>) | undefined
}

export type FormQuestion = {
  question: string
  /** None: the answer is free text. */
  options: { label: string; description?: string | undefined }[]
  several: boolean
}

/** A call that can run: everything that could be checked before the question was. */
export type Prepared = {
  /** What the question shows. */
  preview: Presentation[]
  /** Where exactly, when that is known only now. */
  locations?: Location[]
  run: (context: RunContext) => Promise<ToolResult>
}

/** A call as the model wrote it, understood but not started. */
export type PlannedCall = {
  title: string
  kind: CallKind
  locations: Location[]
  need: Need
  /** What stands in the entry from its start. */
  card?: Presentation[]
  /** @throws ToolFailure when it can be seen beforehand that the call cannot work. */
  prepare: () => Promise<Prepared>
}

export interface Tool {
  readonly name: string
  readonly kind: CallKind
  /** Calls that only read run beside each other. */
  readonly readOnly: boolean
  /** The one mode in which the model is offered it; every mode when absent. */
  readonly onlyIn: Mode | undefined
  readonly spec: ToolSpec
  /** @throws ToolFailure for an input that does not fit. */
  plan(input: unknown, place: Place): Promise<PlannedCall>
}

/** A failure that is a result: the model reads the message and goes on. */
export class ToolFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolFailure'
  }
}

type Definition<Input extends z.ZodType> = {
  name: string
  kind: CallKind
  readOnly: boolean
  onlyIn?: Mode
  description: string
  input: Input
  plan: (input: z.infer<Input>, place: Place) => Promise<PlannedCall> | PlannedCall
}

/** Ties a tool's input schema to what it plans, so that inside the tool the input is trusted. */
export function defineTool<Input extends z.ZodType>(definition: Definition<Input>): Tool {
  const { name, kind, readOnly, onlyIn, description } = definition
  return {
    name,
    kind,
    readOnly,
    onlyIn,
    spec: { name, description, inputSchema: jsonSchemaOf(definition.input) },
    plan: async (input, place) => {
      const parsed = definition.input.safeParse(input)
      if (parsed.success) return await definition.plan(parsed.data, place)
      throw new ToolFailure(`The input does not fit ${name}: ${faultsOf(parsed.error)}`)
    },
  }
}

function jsonSchemaOf(input: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return schema
}

function faultsOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.join('.') || 'the input'}: ${issue.message}`)
    .join('; ')
}
